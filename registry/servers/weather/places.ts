import * as z from 'zod';
import { ToolFailure } from '../tool-failure.ts';

/** Enough to find the Paris in Texas behind the one in France. */
const CANDIDATES = 10;
const CANDIDATES_SHOWN = 5;

const Place = z.object({
  name: z.string(),
  latitude: z.number(),
  longitude: z.number(),
  country: z.string().optional(),
  country_code: z.string().optional(),
  admin1: z.string().optional(),
  timezone: z.string().optional(),
});

const Found = z.object({ results: z.array(Place).optional() });

export type Place = z.infer<typeof Place>;

/** The request to the geocoder for `city`. */
export function geocodingRequest(endpoint: URL, city: string): URL {
  const url = new URL(endpoint);
  for (const [key, value] of Object.entries({
    name: splitCity(city).name,
    count: String(CANDIDATES),
    language: 'en',
    format: 'json',
  })) {
    url.searchParams.set(key, value);
  }
  return url;
}

/**
 * The place that `city` means, from the geocoder's answer: its first (largest) one that all qualifiers fit.
 * @throws {ToolFailure} there is none, or the answer has an unknown shape.
 */
export function choosePlace(city: string, answer: unknown, host: string): Place {
  const found = Found.safeParse(answer);
  if (!found.success) throw new ToolFailure({ what: `${host} answered in a form that this version does not know` });
  const { name, qualifiers } = splitCity(city);
  const candidates = found.data.results ?? [];
  if (candidates.length === 0) {
    throw new ToolFailure({
      what: `No place called "${name}" was found`,
      fix: 'another spelling, or the nearest larger town',
    });
  }
  const place = candidates.find((candidate) => qualifiers.every((qualifier) => fits(candidate, qualifier)));
  if (place === undefined) {
    const others = candidates.slice(0, CANDIDATES_SHOWN).map((candidate) => `"${nameOf(candidate)}"`);
    throw new ToolFailure({
      what: `No "${name}" was found in "${qualifiers.join(', ')}"`,
      fix: `one of ${others.join(', ')}`,
    });
  }
  return place;
}

/** `Turin, Piedmont, Italy`; what is missing or would repeat the name is left out. */
export function nameOf(place: Place): string {
  const parts = [place.name, place.admin1, place.country].filter((part) => part !== undefined && part !== '');
  return parts.filter((part, at) => parts.indexOf(part) === at).join(', ');
}

// — internal —

/** `Paris, Texas` → name and qualifiers. The geocoder knows names only, so the rest chooses among what it finds. */
function splitCity(city: string): { name: string; qualifiers: string[] } {
  const [name = '', ...rest] = city.split(',').map((part) => part.trim());
  return { name, qualifiers: rest.filter((part) => part !== '') };
}

function fits(place: Place, qualifier: string): boolean {
  const wanted = plain(qualifier);
  const country = plain(place.country_code ?? '');
  if (wanted === country || COUNTRY_ALIASES[wanted] === country) return true;
  if (country === 'us' && US_STATES[wanted] === plain(place.admin1 ?? '')) return true;
  return [place.country, place.admin1].some((part) => part !== undefined && plain(part) === wanted);
}

/** Without case, accents and dots: `D.C.` and `dc`, `Île-de-France` and `ile-de-france`. */
function plain(text: string): string {
  return text
    .normalize('NFD')
    .replace(/[\p{M}.]/gu, '')
    .trim()
    .toLowerCase();
}

const COUNTRY_ALIASES: Readonly<Record<string, string>> = {
  usa: 'us',
  america: 'us',
  uk: 'gb',
  'great britain': 'gb',
  uae: 'ae',
};

/** Postal abbreviations: "Austin, TX" is how people and models write it, and the geocoder knows only `Texas`. */
// biome-ignore format: a table.
const US_STATES: Readonly<Record<string, string>> = {
  al: 'alabama', ak: 'alaska', az: 'arizona', ar: 'arkansas', ca: 'california', co: 'colorado', ct: 'connecticut', de: 'delaware',
  dc: 'district of columbia', fl: 'florida', ga: 'georgia', hi: 'hawaii', id: 'idaho', il: 'illinois', in: 'indiana', ia: 'iowa',
  ks: 'kansas', ky: 'kentucky', la: 'louisiana', me: 'maine', md: 'maryland', ma: 'massachusetts', mi: 'michigan', mn: 'minnesota',
  ms: 'mississippi', mo: 'missouri', mt: 'montana', ne: 'nebraska', nv: 'nevada', nh: 'new hampshire', nj: 'new jersey',
  nm: 'new mexico', ny: 'new york', nc: 'north carolina', nd: 'north dakota', oh: 'ohio', ok: 'oklahoma', or: 'oregon',
  pa: 'pennsylvania', ri: 'rhode island', sc: 'south carolina', sd: 'south dakota', tn: 'tennessee', tx: 'texas', ut: 'utah',
  vt: 'vermont', va: 'virginia', wa: 'washington', wv: 'west virginia', wi: 'wisconsin', wy: 'wyoming',
};
