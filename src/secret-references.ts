/** `${secret:NAME}`: what stands in a launch in the place of a secret's value. */
export function secretReference(name: string): string {
  return `\${secret:${name}}`;
}

/** Names of the secrets that `text` refers to. */
export function secretsIn(text: string): string[] {
  return [...text.matchAll(REFERENCE)].map((match) => match[1] ?? '');
}

// — internal —

const REFERENCE = /\$\{secret:([A-Za-z_][A-Za-z0-9_]*)\}/g;
