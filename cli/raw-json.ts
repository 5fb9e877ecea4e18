/**
 * The text of one member of a JSON object, as it was written: numbers of 64 bits keep all their digits. Null when it has no such member
 * or is no object. The text must be valid JSON.
 */
export function memberText(json: string, name: string): string | null {
  let at = skipSpace(json, 0);
  if (json[at] !== '{') return null;
  at = skipSpace(json, at + 1);
  while (json[at] === '"') {
    const keyEnd = stringEnd(json, at);
    const key: unknown = JSON.parse(json.slice(at, keyEnd));
    // Behind the colon.
    const start = skipSpace(json, skipSpace(json, keyEnd) + 1);
    const end = valueEnd(json, start);
    if (key === name) return json.slice(start, end);
    at = skipSpace(json, end);
    if (json[at] !== ',') return null;
    at = skipSpace(json, at + 1);
  }
  return null;
}

// — internal —

function skipSpace(json: string, from: number): number {
  let at = from;
  while (/\s/.test(json[at] ?? '')) at += 1;
  return at;
}

/** Behind the closing quote of the string that begins at `from`. */
function stringEnd(json: string, from: number): number {
  let at = from + 1;
  while (at < json.length && json[at] !== '"') at += json[at] === '\\' ? 2 : 1;
  return at + 1;
}

function valueEnd(json: string, from: number): number {
  let at = from;
  let depth = 0;
  do {
    const char = json[at];
    if (char === '"') at = stringEnd(json, at);
    else if (depth === 0 && char !== '{' && char !== '[') return scalarEnd(json, at);
    else {
      if (char === '{' || char === '[') depth += 1;
      else if (char === '}' || char === ']') depth -= 1;
      at += 1;
    }
  } while (depth > 0 && at < json.length);
  return at;
}

function scalarEnd(json: string, from: number): number {
  let at = from;
  while (at < json.length && !/[,}\]\s]/.test(json[at] ?? '')) at += 1;
  return at;
}
