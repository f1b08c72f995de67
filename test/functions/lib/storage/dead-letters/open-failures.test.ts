import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createDeadLetterStore } from '#lib/storage/dead-letters/dead-letter-store.ts'
import { endOfImport, endOfLetter } from '#lib/storage/dead-letters/end-of-letter.ts'
import {
  ANYTHING,
  type End,
  openFailures,
  versionScope,
  WHOLE,
} from '#lib/storage/dead-letters/open-failures.ts'
import { createMemoryItemTable } from '#support/memory-item-table.ts'
import { runs } from '#support/thorough.ts'

const end = (failed: boolean, scope: string, place: string | undefined, at: string): End => ({
  subject: 'in.c-main/orders.csv',
  scope,
  failed,
  place,
  at,
})
const [v1, v2] = [versionScope('v1'), versionScope('v2')]

describe('what failed and nobody has mended', () => {
  it.each<[string, End[], number[]]>([
    ['a failure', [end(true, WHOLE, '1', '1')], [0]],
    ['only the last of many', [end(true, WHOLE, '1', '1'), end(true, WHOLE, '2', '2')], [1]],
    ['nothing behind a success', [end(true, WHOLE, '1', '1'), end(false, WHOLE, '2', '2')], []],
    ['nothing, when it is told late', [end(false, WHOLE, '2', '1'), end(true, WHOLE, '1', '9')], []],
    ['what failed after the success', [end(false, WHOLE, '1', '9'), end(true, WHOLE, '2', '2')], [1]],
    ['a version that is added', [end(true, v1, '1', '1'), end(false, v2, '2', '2')], [0]],
    ['each version that is added', [end(true, v1, '1', '1'), end(true, v2, '2', '2')], [0, 1]],
    ['no version behind one that replaces all', [end(true, v1, '1', '1'), end(false, WHOLE, '2', '2')], []],
    ['no version that was loaded itself', [end(true, v1, '1', '1'), end(false, v1, '1', '2')], []],
    ['what replaces, though one was added', [end(true, WHOLE, '1', '1'), end(false, v2, '2', '2')], [0]],
    ['no file that nobody can load', [end(true, ANYTHING, '1', '1'), end(false, v2, '2', '2')], []],
    ['what a person asked for later', [end(false, WHOLE, '9', '1'), end(true, WHOLE, undefined, '2')], [1]],
    ['nothing that a person asked for', [end(true, WHOLE, '9', '1'), end(false, WHOLE, undefined, '2')], []],
    [
      'of failures with and without a place one of each, so that none hides all',
      [
        end(true, WHOLE, '2', '1'),
        end(true, WHOLE, '1', '3'),
        end(true, WHOLE, undefined, '2'),
        { ...end(false, WHOLE, '9', '9'), subject: 'another' },
      ],
      [0, 2],
    ],
  ])('is %s', (_what, ends, open) => {
    expect(openFailures(ends)).toEqual(open.map(index => ends[index]))
    expect(openFailures(ends.toReversed())).toEqual(open.toReversed().map(index => ends[index]))
  })
})

const version = (place: number) => ({
  'version-id': `v${place}`,
  sequencer: `0${place}`,
})

const letterOf = (place: number, isIncremental: boolean, minute: number) => ({
  failure: { code: 'invalidCsv', message: 'Line 2 has 3 cells, not 2.' },
  machine: 'import',
  source: { machine: 'arn:machine', execution: `arn:execution:${place}-${minute}` },
  input: { detail: { bucket: { name: 'landing' }, object: { key: 'a.csv', ...version(place) } } },
  details: { isIncremental, versionId: `v${place}` },
  at: new Date(Date.UTC(2026, 2, 1, 12, minute)).toISOString(),
})

const told = fc.uniqueArray(
  fc.record({
    failed: fc.boolean(),
    isIncremental: fc.boolean(),
    place: fc.integer({ min: 1, max: 4 }),
    minute: fc.nat(59),
  }),
  { selector: ({ minute }) => minute, maxLength: 12 },
)

it('the store comes to the same, in whatever order and however often ends are told, and keeps no other letter', async () => {
  await fc.assert(
    fc.asyncProperty(told, told, async (ends, again) => {
      const store = createDeadLetterStore(createMemoryItemTable())
      const all: End[] = []
      for (const { failed, isIncremental, place, minute } of [...ends, ...again, ...ends]) {
        const { details: _, ...letter } = letterOf(place, isIncremental, minute)
        const { at } = letter
        const details = { isIncremental, versionId: `v${place}` }
        if (failed) {
          all.push(endOfLetter(await store.keep({ ...letter, details }, at)))
        } else {
          const { 'version-id': versionId, sequencer } = version(place)
          const success = endOfImport(
            { bucket: 'landing', key: 'a.csv', versionId, sequencer },
            { isIncremental, at },
          )
          all.push(success)
          await store.close(success)
        }
      }
      const letters = (await Array.fromAsync(store.batches())).flat()
      const open = await store.openOf(letters, [])
      const names = (found: readonly End[]) => [
        ...new Set(found.map(({ scope, place, at }) => `${scope} ${place} ${at}`)),
      ]
      expect(names(open.map(endOfLetter)).sort()).toEqual(names(openFailures(all)).sort())
      expect(open).toHaveLength(names(openFailures(all)).length)
    }),
    { numRuns: runs(300) },
  )
})
