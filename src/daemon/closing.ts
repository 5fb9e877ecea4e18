/** Closes the parts one after the other. A step that fails is told and costs the later ones nothing: nobody waits for this daemon any more. */
export async function closeInOrder(steps: Readonly<Record<string, () => unknown>>): Promise<void> {
  for (const [what, close] of Object.entries(steps)) {
    try {
      await close();
    } catch (thrown) {
      console.error(`mcpd: its ${what} did not end well: ${thrown instanceof Error ? thrown.stack : String(thrown)}`);
    }
  }
}
