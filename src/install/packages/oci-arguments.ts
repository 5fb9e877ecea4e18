import { McpdError } from '../../errors.ts';
import { secretsIn } from '../../secret-references.ts';

/** What a publisher wants between `docker run` and the image, made safe for a server that mcpd starts and stops. Pure. */

export interface ContainerArguments {
  args: string[];
  /** Variables that were given with their values there: they belong into the environment, and only their names on the command line. */
  env: [name: string, value: string][];
  warnings: string[];
}

/**
 * `words` are filled: secrets are references. What mcpd sets itself is left out.
 * @throws McpdError INPUT_INVALID for a secret that would stand on the command line
 */
export function containerArguments(words: readonly string[]): ContainerArguments {
  const result: ContainerArguments = { args: [], env: [], warnings: [] };
  const rest = [...words];
  if (rest[0] === 'run') rest.shift();
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    const [, flag = word, joined] = /^(--[\w-]+)=(.*)$/s.exec(word) ?? [];
    const role = ROLES.get(flag);
    if (role === undefined) {
      result.args.push(word);
      continue;
    }
    if (role === 'own') continue;
    if (role === 'own-value' || role === 'other-way') {
      if (role === 'own-value' && joined === undefined) rest.shift();
      if (role === 'other-way') result.warnings.push(`${flag} is left out: a server talks by its stdin and stdout`);
      continue;
    }
    if (role === 'risky') {
      result.warnings.push(
        `the container is given more of this machine than others: ${word}${joined === undefined && rest[0] !== undefined && !rest[0].startsWith('-') ? ` ${rest[0]}` : ''}`,
      );
      result.args.push(word);
      continue;
    }
    const variable = joined ?? rest.shift();
    if (variable === undefined) throw refused(`${flag} has no variable after it`);
    const equals = variable.indexOf('=');
    if (equals === -1) result.args.push('-e', variable);
    else result.env.push([variable.slice(0, equals), variable.slice(equals + 1)]);
  }
  return result;
}

/** Everything of the command line that other programs of this user see. @throws McpdError INPUT_INVALID */
export function checkNoSecret(words: readonly string[]): void {
  const [secret] = words.flatMap(secretsIn);
  if (secret === undefined) return;
  throw refused(
    `its secret ${secret} would stand on the command line of the container, where every program of this user sees it`,
  );
}

/**
 * Variables that the engine's own program would obey when they stood in its environment (`DOCKER_HOST`, `PATH`, `LD_PRELOAD`): they are
 * given to the container by their values, and the others by their names.
 */
export function outsideVariables(env: readonly [name: string, value: string][]) {
  const steering = env.filter(([name]) => STEERING.test(name));
  return {
    env: env.filter(([name]) => !STEERING.test(name)),
    words: steering.flatMap(([name, value]) => ['-e', `${name}=${value}`]),
  };
}

// — internal —

const STEERING =
  /^(DOCKER|CONTAINERS?|PODMAN|BUILDAH|BUILDKIT|LD|DYLD|XDG|SSL|GODEBUG|GRPC|MCPD)_|^(PATH|HOME|TMPDIR|SHELL|GODEBUG|(https?|no|all)_proxy)$/i;

type Role = 'own' | 'own-value' | 'other-way' | 'variable' | 'risky';

const ROLES: ReadonlyMap<string, Role> = new Map<string, Role>([
  ...['-i', '--interactive', '--rm'].map((flag) => [flag, 'own'] as const),
  // A fixed name would let one process of the server run at a time; mcpd keeps the id by itself.
  ...['--name', '--cidfile'].map((flag) => [flag, 'own-value'] as const),
  ...['-t', '--tty', '-it', '-ti', '-d', '--detach'].map((flag) => [flag, 'other-way'] as const),
  ...['-e', '--env'].map((flag) => [flag, 'variable'] as const),
  ...[
    '--privileged',
    '--cap-add',
    '--pid',
    '--ipc',
    '--network',
    '--net',
    '--device',
    '--userns',
    '--security-opt',
    '-v',
    '--volume',
    '--mount',
  ].map((flag) => [flag, 'risky'] as const),
]);

function refused(why: string): McpdError {
  return new McpdError('INPUT_INVALID', {
    what: 'that container cannot be started safely',
    why,
    fix: 'ask its publisher to take the value from a variable',
  });
}
