import type { Feature } from '../../manifests/feature.ts'
import type { Reading } from '../../manifests/read-manifest.ts'

/** Where ours is another on purpose, and why. */
const filters = ['a filter by number', 'a filter by a setting', 'a filter by a list']

const listed: readonly [
  why: string,
  holds: (names: readonly string[], theirs: Reading, ours: Reading) => boolean,
][] = [
  [
    'The runtime refuses a form for the page beside a JSON body, ours sends the page in the body that there is.',
    (_, { error = '' }) => error.includes('RequestBodyException'),
  ],
  [
    'The runtime counts only the rows that a filter leaves, and ends after a page with too few; ours reads all pages.',
    (names, theirs, ours) =>
      names.some(name => filters.includes(name)) &&
      theirs.rows.every(row => ours.rows.includes(row)) &&
      theirs.requests.length < ours.requests.length,
  ],
  [
    'The runtime sends a list that the next address has already once more with each page.',
    names =>
      names.includes('a list as a parameter') && names.some(name => /Link|address of the next/.test(name)),
  ],
]

export const listedDifference = (
  features: readonly Feature[],
  theirs: Reading,
  ours: Reading,
): string | undefined =>
  listed.find(([, holds]) =>
    holds(
      features.map(({ name }) => name),
      theirs,
      ours,
    ),
  )?.[0]
