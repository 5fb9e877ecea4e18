import { isConfidential } from '../../secret-shape.ts';
import type { WrittenInput } from './shapes.ts';

/** Values as configurations have them: texts, with `${…}` of several kinds in them, or what only stands for a value. Pure. */

/** Something that a person gives, or that their environment has. */
export interface Asked {
  name: string;
  description: string;
  /** An empty value in a configuration often stands for what may be left out. */
  required: boolean;
  secret: boolean;
  /** A variable of that name in the caller's environment is meant. */
  environment: boolean;
  default: string | null;
  choices: string[] | null;
}

export type ValuePart = string | { asked: string };

/** A value that may have parts to be filled in. */
export interface SnippetValue {
  parts: ValuePart[];
  secret: boolean;
}

/** Gathers what is to be asked, each once. */
export class Questions {
  readonly asked = new Map<string, Asked>();
  readonly warnings: string[] = [];
  readonly #inputs: ReadonlyMap<string, WrittenInput>;

  constructor(inputs: ReadonlyMap<string, WrittenInput>) {
    this.#inputs = inputs;
  }

  /** `name` is what the value is called: a variable, a header, or a word for an argument. */
  read(name: string, text: string): SnippetValue {
    if (isPlaceholder(text)) {
      const secret = isConfidential(name, '');
      return { parts: [this.#ask({ ...NOTHING_TOLD, name, required: text.trim() !== '', secret })], secret };
    }
    const parts = this.#parts(name, text);
    const literal = parts.filter((part) => typeof part === 'string').join('');
    const secret =
      isConfidential(name, literal) || parts.some((part) => typeof part !== 'string' && this.#isSecret(part.asked));
    return { parts, secret };
  }

  #parts(name: string, text: string): ValuePart[] {
    const parts: ValuePart[] = [];
    let from = 0;
    for (const match of text.matchAll(REFERENCE)) {
      const part = this.#reference(name, match[0] === text, match[1] ?? match[2] ?? '', match[0]);
      if (part === null) continue;
      parts.push(text.slice(from, match.index), part);
      from = match.index + match[0].length;
    }
    parts.push(text.slice(from));
    return parts.filter((part) => part !== '');
  }

  /** Null for what stays as it is: mcpd's own forms, and what nobody can read. */
  #reference(name: string, whole: boolean, inside: string, text: string): ValuePart | null {
    const [, kind = '', rest = ''] = /^(\w+):(?!-)(.*)$/s.exec(inside) ?? [];
    if (kind === 'secret') return null;
    if (kind === 'input')
      return this.#ask(this.#inputAsked(rest, whole && isAskable(name) ? name : askable(rest), name));
    const variable = kind === 'env' ? rest : kind === '' ? inside : '';
    const [, asked, fallback] = /^([A-Za-z_]\w*)(?::-(.*))?$/s.exec(variable) ?? [];
    if (asked === undefined || EDITORS.has(asked)) {
      this.warnings.push(`${name}: ${text} means nothing to mcpd, and stays as it is`);
      return null;
    }
    const secret = isConfidential(asked, '') || (whole && isConfidential(name, ''));
    return this.#ask({ ...NOTHING_TOLD, name: asked, secret, environment: true, default: fallback ?? null });
  }

  #inputAsked(id: string, name: string, value: string): Asked {
    const input = this.#inputs.get(id);
    const secret = input?.secret ?? isConfidential(value, '');
    const { description = '', default: preset = null, choices = null } = input ?? {};
    return { ...NOTHING_TOLD, name, description, secret, default: preset, choices };
  }

  #ask(asked: Asked): { asked: string } {
    const known = this.asked.get(asked.name);
    this.asked.set(asked.name, known === undefined ? asked : { ...known, secret: known.secret || asked.secret });
    return { asked: asked.name };
  }

  #isSecret(name: string): boolean {
    return this.asked.get(name)?.secret ?? false;
  }
}

/** The value, with what was answered. Null: it is nothing but an answer that was left out. */
export function answered(value: SnippetValue, answers: ReadonlyMap<string, string>): string | null {
  const [first, ...others] = value.parts;
  if (first !== undefined && typeof first !== 'string' && others.length === 0) return answers.get(first.asked) ?? null;
  return filled(value, answers);
}

export function filled({ parts }: SnippetValue, answers: ReadonlyMap<string, string>): string {
  return parts.map((part) => (typeof part === 'string' ? part : (answers.get(part.asked) ?? ''))).join('');
}

/** `my-token` becomes `my_token`: what is asked for is named as variables are. */
export function askable(text: string): string {
  return text
    .replace(/^-+/, '')
    .replace(/\W/g, '_')
    .replace(/^(?=\d|$)/, '_');
}

// — internal —

const NOTHING_TOLD = { description: '', required: true, environment: false, default: null, choices: null };

const REFERENCE = /\$\{([^${}]+)\}|\{\{\s*(\w+)\s*\}\}/g;
/** Of editors: their windows have them, and a daemon has none. */
const EDITORS = new Set([
  'workspaceFolder',
  'workspaceFolderBasename',
  'workspaceRoot',
  'userHome',
  'cwd',
  'pathSeparator',
  '__dirname',
  'HOME_DIR',
]);

/** What READMEs write where a value belongs. */
const PLACEHOLDER = new RegExp(
  [
    '',
    '<[^<>]*>',
    '\\[[^\\]]*\\]',
    '(your|my|enter|insert|replace|put|add)[-_ ].*',
    'x{3,}|\\.{3,}|…|\\*{3,}|changeme|change[-_]me|todo|token|api[-_ ]?key',
    '.*[-_ ]here',
    '([a-z]:)?[/\\\\]{1,2}(absolute[/\\\\])?path[/\\\\]+to[/\\\\].*',
    '([a-z]:)?[/\\\\]{1,2}(users|home)[/\\\\]+(username|you|your[-_ ]?user(name)?)([/\\\\].*)?',
  ]
    .map((each) => `^(${each})$`)
    .join('|'),
  'i',
);

function isPlaceholder(text: string): boolean {
  return PLACEHOLDER.test(text.trim());
}

function isAskable(name: string): boolean {
  return /^[A-Za-z_]\w*$/.test(name);
}
