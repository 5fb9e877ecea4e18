// Puts what would run or load something, if a page took it for more than text, into everything that a page may show: markup, addresses,
// escapes, and characters that turn text around. It sets `pwned` wherever it runs.
import { object, serve, text } from './base.mjs';

const SCRIPT = '<script>globalThis.pwned=1</script>';
const IMAGE = '<img src="x" onerror="globalThis.pwned=1">';
const LINK = '<a href="javascript:globalThis.pwned=1">here</a>';
const ADDRESS = 'javascript:globalThis.pwned=1';
const ALL = `${SCRIPT} ${IMAGE} ${LINK}`;
const icons = [
  { src: ADDRESS, mimeType: 'image/png' },
  { src: 'http://192.0.2.1/icon.png', mimeType: 'image/png' },
  { src: 'data:image/svg+xml,<svg xmlns="http://www.w3.org/2000/svg" onload="globalThis.pwned=1"/>' },
];

process.stderr.write(`printed ${ALL}\n`);
process.stderr.write('escaped \u001b[31mred\u001b[0m \u001b]8;;http://192.0.2.1/\u0007link\u001b]8;;\u0007 end\n');
process.stderr.write('turned \u202egnp.exe\u202c around\n');

serve({
  name: `markup ${SCRIPT}`,
  instructions: ALL,
  tools: [
    {
      name: 'show',
      title: `titled ${IMAGE}`,
      description: `describes ${ALL}`,
      icons,
      inputSchema: object({
        place: { type: 'string', title: `place ${IMAGE}`, description: ALL, default: SCRIPT, enum: [SCRIPT, IMAGE] },
      }),
      call: () => ({
        ...text(`said ${ALL}`),
        content: [
          { type: 'text', text: `said ${ALL}` },
          { type: 'resource_link', uri: ADDRESS, name: `linked ${IMAGE}`, description: ALL },
          { type: 'image', mimeType: 'image/svg+xml', data: Buffer.from('<svg onload="pwned=1"/>').toString('base64') },
        ],
      }),
    },
  ],
  prompts: [{ name: 'ask', title: IMAGE, description: `asks ${ALL}`, icons, get: () => ({ messages: [] }) }],
  resources: [{ uri: ADDRESS, name: `holds ${IMAGE}`, description: ALL, icons, read: () => ALL }],
});
