import { expect, test } from 'vitest';
import { choosePlace, geocodingRequest, nameOf } from './places.ts';

const PARIS = [
  { name: 'Paris', latitude: 48.85, longitude: 2.35, country: 'France', country_code: 'FR', admin1: 'Île-de-France' },
  { name: 'Paris', latitude: 33.66, longitude: -95.56, country: 'United States', country_code: 'US', admin1: 'Texas' },
  { name: 'Paris', latitude: 43.2, longitude: -80.38, country: 'Canada', country_code: 'CA', admin1: 'Ontario' },
];

test.each([
  ['Paris', 'Paris, Île-de-France, France'],
  ['Paris, France', 'Paris, Île-de-France, France'],
  ['Paris, ile-de-france, FR', 'Paris, Île-de-France, France'],
  ['Paris, Texas', 'Paris, Texas, United States'],
  ['Paris, TX, USA', 'Paris, Texas, United States'],
  ['Paris, U.S.A.', 'Paris, Texas, United States'],
  ['paris,, ca', 'Paris, Ontario, Canada'],
])('"%s" is %s', (city, name) => {
  expect(nameOf(choosePlace(city, { results: PARIS }, 'geo.example'))).toBe(name);
});

test('a place that is not in the named country is refused with the places that are there', () => {
  const choose = () => choosePlace('Paris, Germany', { results: PARIS }, 'geo.example');
  expect(choose).toThrow('No "Paris" was found in "Germany"');
  expect(choose).toThrow('"Paris, Texas, United States"');
});

test('an unknown place is refused by name', () => {
  expect(() => choosePlace('Xyzzy', { generationtime_ms: 0.1 }, 'geo.example')).toThrow(
    'No place called "Xyzzy" was found',
  );
});

test('an answer of an unknown shape is refused with the host that sent it', () => {
  expect(() => choosePlace('Paris', { results: 'soon' }, 'geo.example')).toThrow('geo.example answered in a form');
});

test('the geocoder is asked for the name alone, and a query of the endpoint is kept', () => {
  const url = geocodingRequest(new URL('https://geo.example/v1/search?apikey=k'), ' São Paulo , Brazil');
  expect(Object.fromEntries(url.searchParams)).toEqual({
    apikey: 'k',
    name: 'São Paulo',
    count: '10',
    language: 'en',
    format: 'json',
  });
});

test('a name that equals its region is said once', () => {
  expect(nameOf({ name: 'Singapore', latitude: 1, longitude: 103, country: 'Singapore' })).toBe('Singapore');
});
