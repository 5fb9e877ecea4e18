import { expect, test } from 'vitest';
import { World } from '../../test/simulated/world.ts';

const UI = 'io.modelcontextprotocol/ui';
const SKILLS = 'io.modelcontextprotocol/skills';

/** Two servers: one with skills, both with pages of their own. */
function given() {
  const world = new World();
  const memory = (extensions: object) => JSON.stringify({ tools: {}, extensions });
  world.install(
    'notes',
    { tools: ['add'], instructions: 'Notes.' },
    {},
    { capabilities: memory({ [UI]: { a: 1 }, [SKILLS]: {} }) },
  );
  world.install('other', { tools: ['add'], instructions: 'Other.' }, {}, { capabilities: memory({ [UI]: { a: 2 } }) });
  return world;
}

const discovered = (world: World, session: string, server: string | null) => {
  const scope = server === null ? ({ kind: 'all' } as const) : ({ kind: 'server', server } as const);
  const host = world.openHost(session, 'modern', null, session, { scope });
  const { capabilities, instructions } = world.ask(host, 'server/discover').result as {
    capabilities: { extensions: object };
    instructions: string;
  };
  return { host, extensions: capabilities.extensions, instructions };
};

test('a host hears of the extensions that the servers it can reach declare, and of their instructions', () => {
  const world = given();
  expect(discovered(world, 'all', null)).toMatchObject({
    extensions: { [UI]: { a: 1 }, [SKILLS]: {}, 'io.modelcontextprotocol/tasks': {} },
    instructions: '# notes\nNotes.\n\n# other\nOther.',
  });
  const other = discovered(world, 'one', 'other');
  expect(other).toMatchObject({ extensions: { [UI]: { a: 2 } }, instructions: 'Other.' });
  expect(other.extensions).not.toHaveProperty(SKILLS);
});

test('skills are listed by the one server that has them; of several none is preferred', () => {
  const world = given();
  const { host } = discovered(world, 'all', null);
  const key = world.request(host, 'skills/list');
  world.ready('notes', { tools: ['add'] });
  const process = world.process('notes');
  world.serverAnswers(process, 'skills/list', { result: { skills: [] } });
  expect(world.answerTo(host, key).result).toMatchObject({ skills: [] });
  world.install('more', { tools: [] }, {}, { capabilities: JSON.stringify({ extensions: { [SKILLS]: {} } }) });
  expect(world.ask(host, 'skills/list').error).toMatchObject({ data: { servers: ['more', 'notes'] } });
});
