/**
 * What stands in a launch in the place of a value: `${secret:NAME}` of one that mcpd keeps, `${env:NAME}` of one in the environment of the
 * person. Both are filled in when the server starts, and nothing else holds them.
 */
export function secretReference(name: string): string {
  return `\${secret:${name}}`;
}

/** Names of the secrets that `text` refers to. */
export function secretsIn(text: string): string[] {
  return namesIn(text, 'secret');
}

/** Names of the variables that `text` refers to. */
export function variablesIn(text: string): string[] {
  return namesIn(text, 'env');
}

/** Whether `text` refers to any value that does not stand in it. */
export function hasReference(text: string): boolean {
  return secretsIn(text).length + variablesIn(text).length > 0;
}

/** `text` with its references replaced, once: what a value contains is not looked at again. */
export function filledText(text: string, filling: (kind: 'secret' | 'env', name: string) => string): string {
  return text.replace(REFERENCE, (_, kind: 'secret' | 'env', name: string) => filling(kind, name));
}

// — internal —

const REFERENCE = /\$\{(secret|env):([A-Za-z_][A-Za-z0-9_]*)\}/g;

function namesIn(text: string, kind: string): string[] {
  return [...text.matchAll(REFERENCE)].flatMap(([, found, name = '']) => (found === kind ? [name] : []));
}
