/** What a plan of an install says of the version that is pinned. Pure. */

interface ShownPlan {
  fetch: string | null;
  published: { name: string; version: string } | null;
}

/**
 * What is installed when a person has seen the plan and says yes: the very version that was shown, also if a newer one appears in between.
 * `spec` is as it was asked for.
 */
export function pinnedSpec(spec: string, plan: ShownPlan): string {
  if (plan.published !== null) return `${plan.published.name}@${plan.published.version}`;
  return isPackageSpec(spec, plan) ? (plan.fetch ?? spec) : spec;
}

/** Nobody has looked at it but its publisher. */
export function isUnvouched(spec: string, plan: ShownPlan): boolean {
  return plan.published !== null || isPackageSpec(spec, plan) || /\.json$/i.test(spec);
}

/** No version was named, nor a tag, a range or a branch. */
export function isNewest({ fetch }: Pick<ShownPlan, 'fetch'>): boolean {
  return fetch !== null && /^(npm|pypi|nuget):.*@latest$|^git:[^#]*$/.test(fetch);
}

/** Which version of which server an MCP registry has, and whose. Not safe to show. */
export function publishedText(at: {
  name: string;
  version: string;
  place: string;
  publisher: string | null;
  repository: string | null;
}): string {
  const whose = at.publisher === null ? '' : `, published by ${at.publisher}`;
  return `${at.name} ${at.version} (pinned) at ${at.place}${whose}${at.repository === null ? '' : `, ${at.repository}`}`;
}

/** The hash of what is fetched; null where none is known before. Packages of PyPI have one for each of their files. */
export function hashText({
  fileSha256,
  integrity,
}: {
  fileSha256: string | null;
  integrity: string | null;
}): string | null {
  if (fileSha256 !== null) return `sha256 ${fileSha256}`;
  const [first = null, ...others] = integrity?.split(' ') ?? [];
  return others.length === 0 ? first : `${first}, or one of ${others.length} more, by the file that fits`;
}

// — internal —

/** A package by its own name, as the daemon reads it: whatever the case, and with white space before it; a bundle, or a repository. */
function isPackageSpec(spec: string, { fetch }: ShownPlan): boolean {
  const isNamed =
    /^\s*(npm|pypi|oci|docker|nuget|mcpb|git):/i.test(spec) || /\.(mcpb|dxt)(#sha256=\w+)?\s*$/i.test(spec);
  // Addresses of repositories have many forms, and no registry has one as a package.
  return isNamed || fetch?.startsWith('git:') === true;
}
