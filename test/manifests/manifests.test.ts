import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { nameOf, recordedFile, recordedOnes } from './all-features.ts'
import { type Reading, readByOurs } from './read-manifest.ts'

/** By `npm run contracts -- extractor`, where ours is held to it in pairs, too. */
const recorded: Readonly<Record<string, Reading>> = JSON.parse(readFileSync(recordedFile, 'utf8'))

/** What the format has no counterpart for. */
const reported = [
  'cursor in a header',
  'flattened',
  'an object taken apart',
  'keys replaced',
  'removed by a pattern',
  'removed under a condition',
  'two parents, each with each',
]

describe('a manifest is read as Airbyte’s own runtime reads it', () => {
  it.each(recordedOnes.map(features => ({ name: nameOf(features), features })))(
    '$name',
    async ({ name, features }) => {
      const { losses, ...ours } = await readByOurs(features)
      if (reported.includes(name)) expect(losses.filter(({ level }) => level !== 'none')).not.toEqual([])
      else expect(ours).toEqual(recorded[name])
    },
  )

  it('and none is recorded that is no more', () => {
    expect(Object.keys(recorded).toSorted()).toEqual(recordedOnes.map(nameOf).toSorted())
  })
})
