import type { Launch } from '../core/model.ts';

/** The launch with a data folder of its own: what a replay writes there is not what the person has in his. Pure. */
export function launchWithDataIn(launch: Launch, dataDir: string): Launch {
  if (launch.kind === 'http') return launch;
  const placed = (text: string) => text.replaceAll(DATA_DIR, dataDir);
  return {
    ...launch,
    command: placed(launch.command),
    args: launch.args.map(placed),
    cwd: launch.cwd === null ? dataDir : placed(launch.cwd),
    env: Object.fromEntries(Object.entries(launch.env).map(([name, value]) => [name, placed(value)])),
  };
}

// — internal —

const DATA_DIR = '$' + '{dataDir}';
