import fc from 'fast-check'
import { expect, it } from 'vitest'
import { cutOrder, groupsInRange, type OrderRange } from '#lib/table-engine/sorted/cut-order.ts'

/** Keys are cut to this many characters when they are noted. */
const NOTED = 4

/** Sorted keys of row groups: whole, as the rows have them. Few letters, so that many begin alike. */
const run = fc
  .uniqueArray(fc.string({ unit: fc.constantFrom('0', '1', 'F'), minLength: 1, maxLength: 7 }), {
    minLength: 1,
    maxLength: 12,
  })
  .map(keys => keys.toSorted())
const runs = fc.tuple(
  fc.array(run, { maxLength: 5 }),
  fc.integer({ min: 1, max: 4 }),
  fc.integer({ min: 1, max: 300 }),
)

const isWithin = (key: string, { from, to }: OrderRange): boolean =>
  (from === undefined || key >= from) && (to === undefined || key < to)

it('each row is in one range, which reads the row group that has it, and ranges follow each other', () => {
  fc.assert(
    fc.property(runs, ([keysOfRuns, rowsInGroup, rangeBytes]) => {
      const known = keysOfRuns.map(keys => ({
        bytes: keys.length * 10,
        firstKeys: keys.filter((_, row) => row % rowsInGroup === 0).map(key => key.slice(0, NOTED)),
      }))
      const ranges = cutOrder(known, rangeBytes)
      for (const [index, range] of ranges.entries()) expect(range.from).toBe(ranges[index - 1]?.to)
      expect([ranges[0]?.from, ranges.at(-1)?.to]).toEqual([undefined, undefined])
      for (const [index, keys] of keysOfRuns.entries())
        for (const [row, key] of keys.entries()) {
          const [range, ...others] = ranges.filter(each => isWithin(key, each))
          expect(others).toEqual([])
          expect(groupsInRange(known[index] ?? { firstKeys: [] }, range ?? {})).toContain(
            Math.floor(row / rowsInGroup),
          )
        }
    }),
  )
})

it('ranges have about the bytes that are wanted', () => {
  const firstKeys = Array.from({ length: 100 }, (_, index) => String(index).padStart(3, '0'))
  expect(cutOrder([{ bytes: 1_000, firstKeys }], 250).map(({ from }) => from)).toEqual([
    undefined,
    '025',
    '050',
    '075',
  ])
  expect(cutOrder([{ bytes: 1_000, firstKeys }], 5_000)).toEqual([{ from: undefined, to: undefined }])
  expect(cutOrder([], 5_000)).toEqual([])
})
