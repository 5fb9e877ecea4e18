import { TASKS_EXTENSION, taskSupportIn } from './tasks.ts';

/**
 * What a client says that a server may ask of it: in `initialize`, or in the envelope of each modern request. It decides what mcpd declares
 * to servers on its behalf, and what it may be asked.
 */
export interface Abilities {
  /** Raw JSON of the capabilities, as declared. */
  raw: string;
  elicitation: { form: boolean; url: boolean };
  sampling: { basic: boolean; tools: boolean };
  roots: { list: boolean; listChanged: boolean };
  /** JSON of the capabilities towards a modern server, for a legacy client. */
  forModern: string;
  /** A modern client that takes tasks for answers. */
  tasks: boolean;
  /** Of `elicitation`, `roots`, `sampling`, in this order, those that are there, joined by `+`. */
  declared: string;
}

/** Requests by which a server asks its client for something during a call. */
const CALLBACKS = ['elicitation/create', 'roots/list', 'sampling/createMessage'] as const;
export type Callback = (typeof CALLBACKS)[number];

export function isCallback(method: string): method is Callback {
  return CALLBACKS.some((one) => one === method);
}

/** @param raw JSON of a capabilities object; anything else declares nothing. */
export function readAbilities(raw: string): Abilities {
  const value: unknown = JSON.parse(raw);
  const all = isObject(value) ? value : {};
  const elicitation = objectIn(all, 'elicitation');
  const sampling = objectIn(all, 'sampling');
  const roots = objectIn(all, 'roots');
  const url = elicitation !== null && isObject(elicitation['url']);
  const abilities = {
    raw: isObject(value) ? raw : '{}',
    // An empty object means forms: they came first.
    elicitation: { form: elicitation !== null && (isObject(elicitation['form']) || !url), url },
    sampling: { basic: sampling !== null, tools: sampling !== null && isObject(sampling['tools']) },
    roots: { list: roots !== null, listChanged: roots?.['listChanged'] === true },
    tasks: taskSupportIn(all).extension,
  };
  return {
    ...abilities,
    forModern: forModern(abilities, all),
    declared: declaredBy(elicitation !== null, roots !== null, sampling !== null),
  };
}

export const NO_ABILITIES: Abilities = readAbilities('{}');
/** Of one process that serves all hosts: whether the host behind a call can be asked is seen when it is to be asked. */
export const SHARED_ABILITIES: Abilities = readAbilities('{"elicitation":{"form":{},"url":{}},"sampling":{}}');
/** To see whether a server lists more to a client that can do everything. */
export const ALL_ABILITIES: Abilities = readAbilities(
  '{"elicitation":{"form":{},"url":{}},"roots":{"listChanged":true},"sampling":{"tools":{}}}',
);

/** JSON of the capabilities that mcpd declares to a legacy server for clients with these abilities. */
export function capabilitiesForLegacy({ raw }: Abilities): string {
  const all = JSON.parse(raw) as Record<string, unknown>;
  const passed = CARRIED.filter((key) => isObject(all[key])).map((key) => [key, all[key]]);
  return JSON.stringify(Object.fromEntries(passed));
}

/** The capability that a client lacks for this request of a server, in the specification's words; null when it can be asked. */
export function lackFor(abilities: Abilities, method: Callback, params: unknown): string | null {
  const members = isObject(params) ? params : {};
  switch (method) {
    case 'roots/list':
      return abilities.roots.list ? null : 'roots';
    case 'elicitation/create': {
      const mode = members['mode'] === 'url' ? 'url' : 'form';
      return abilities.elicitation[mode] ? null : `elicitation.${mode}`;
    }
    case 'sampling/createMessage': {
      if (!abilities.sampling.basic) return 'sampling';
      const withTools = members['tools'] !== undefined || members['toolChoice'] !== undefined;
      return withTools && !abilities.sampling.tools ? 'sampling.tools' : null;
    }
  }
}

// — internal —

/** Members that mcpd carries to a legacy server. `tasks` are a client's own there, and nobody has them. */
const CARRIED = ['elicitation', 'experimental', 'extensions', 'roots', 'sampling'] as const;

type Members = Record<string, unknown>;

/** Such capabilities have lost some members since. */
function forModern(
  { elicitation: { form, url }, roots, sampling }: Omit<Abilities, 'declared' | 'forModern'>,
  all: Members,
) {
  const modes = { ...(form ? { form: {} } : {}), ...(url ? { url: {} } : {}) };
  return JSON.stringify({
    ...(form || url ? { elicitation: modes } : {}),
    ...(roots.list ? { roots: {} } : {}),
    ...(sampling.basic ? { sampling: all['sampling'] } : {}),
    ...(isObject(all['experimental']) ? { experimental: all['experimental'] } : {}),
    ...(isObject(all['extensions']) ? { extensions: withoutTasks(all['extensions']) } : {}),
  });
}

/** A legacy client has no requests for the tasks of this extension. */
function withoutTasks({ [TASKS_EXTENSION]: _, ...others }: Members): Members {
  return others;
}

function declaredBy(elicitation: boolean, roots: boolean, sampling: boolean): string {
  const names = [elicitation ? 'elicitation' : '', roots ? 'roots' : '', sampling ? 'sampling' : ''];
  return names.filter((name) => name !== '').join('+');
}

function objectIn(value: Members, key: string): Members | null {
  const found = value[key];
  return isObject(found) ? found : null;
}

function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
