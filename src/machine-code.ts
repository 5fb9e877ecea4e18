/** ELF, Mach-O (both byte orders, universal) and PE. */
const MAGIC = ['7f454c46', 'feedface', 'feedfacf', 'cefaedfe', 'cffaedfe', 'cafebabe', '4d5a'];

/** Whether a file that begins with `head` is a program of machine code. */
export function isMachineCode(head: Uint8Array): boolean {
  const start = Buffer.from(head.subarray(0, 4)).toString('hex');
  return MAGIC.some((magic) => start.startsWith(magic));
}
