/** Every page of the dashboard, for a server of that name. */
export function routesOf(server: string): string[] {
  const tabs = ['overview', 'tools', 'prompts', 'resources', 'logs', 'settings'];
  return [
    '#/servers',
    ...tabs.map((tab) => `#/servers/${server}/${tab}`),
    '#/catalog',
    '#/calls',
    '#/recordings',
    '#/health',
    '#/settings',
  ];
}
