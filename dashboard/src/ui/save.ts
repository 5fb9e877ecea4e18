/** How long a browser may take to begin with a download. */
const BEGIN_MS = 10_000;

/** Hands something to the browser as a file. It is never shown as a page: its type says nothing of what is in it. */
export function saveAs(name: string, content: string | Uint8Array<ArrayBuffer>): void {
  const url = URL.createObjectURL(new Blob([content], { type: 'application/octet-stream' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), BEGIN_MS);
}
