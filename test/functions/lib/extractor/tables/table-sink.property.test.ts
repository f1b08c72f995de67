import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Json, JsonObject } from '#lib/extractor/tables/json-value.ts'
import { parseJson } from '#lib/extractor/tables/parse-json.ts'
import { type Page, type RunOptions, runSink } from './run-sink.ts'

const scalar = fc.oneof(
  fc.integer({ min: -5, max: 5 }),
  fc.constantFrom('', 'x', 'say "hi"', 'a,b', 'č\n', '0'),
  fc.boolean(),
  fc.double({ min: -10, max: 10, noNaN: true }),
)

/** Mostly one kind of value per key, so that most pages are accepted, and now and then another kind. */
const valueFor = (key: string): fc.Arbitrary<unknown> => {
  const usual: Record<string, fc.Arbitrary<unknown>> = {
    s: scalar,
    t: scalar,
    l: fc.array(scalar, { maxLength: 3 }),
    o: fc.record(
      { x: scalar, y: fc.option(scalar), in: fc.array(scalar, { maxLength: 2 }) },
      { requiredKeys: [] },
    ),
    r: fc.array(fc.record({ k: scalar, m: fc.array(scalar, { maxLength: 2 }) }, { requiredKeys: [] }), {
      maxLength: 3,
    }),
  }
  return fc.oneof(
    { weight: 30, arbitrary: usual[key] ?? scalar },
    { weight: 3, arbitrary: fc.constant(null) },
    { weight: 1, arbitrary: fc.constantFrom<unknown>([], {}, 7, ['v'], [null], [{ k: 1 }], { x: 2 }, [[1]]) },
  )
}

const keys = ['s', 't', 'l', 'o', 'r']
const item = fc
  .shuffledSubarray(keys)
  .chain(present => fc.record(Object.fromEntries(present.map(key => [key, valueFor(key)]))))
const pages = fc.array(
  fc.record({
    type: fc.constantFrom('root', 'root', 'other'),
    items: fc.array(fc.oneof({ weight: 20, arbitrary: item }, { weight: 1, arbitrary: fc.constant(null) }), {
      maxLength: 5,
    }),
    parent: fc.constantFrom<JsonObject>({}, {}, {}, { parent_id: 1 }, { s: 2 }, { parent_id: 1, day: null }),
  }),
  { maxLength: 5 },
) as fc.Arbitrary<Page[]>

/** Files, or the message of the error: both count as the outcome. */
async function outcome(input: readonly Page[], options: RunOptions): Promise<unknown> {
  // Each run gets its own copy, as it would from parsing.
  const copy = parseJson(JSON.stringify(input)) as unknown as Page[]
  return runSink(copy, options).catch((error: Error) => error.message)
}

it('rows written page by page equal the rows built from the whole log', async () => {
  await fc.assert(
    fc.asyncProperty(pages, fc.boolean(), async (input, compat) => {
      expect(await outcome(input, { compat })).toEqual(await outcome(input, { compat, fromLog: true }))
    }),
    { numRuns: 120 },
  )
})

it('stopping and resuming after any pages changes nothing', async () => {
  await fc.assert(
    fc.asyncProperty(pages, fc.array(fc.nat(4)), fc.boolean(), async (input, stopAfter, compat) => {
      expect(await outcome(input, { compat, stopAfter })).toEqual(await outcome(input, { compat }))
    }),
    { numRuns: 80 },
  )
})

it('how items are spread over pages does not matter when their kinds agree', async () => {
  const steady = fc.record(
    {
      id: fc.nat(),
      s: scalar,
      o: fc.record({ x: scalar, y: scalar }, { requiredKeys: [] }),
      l: fc.array(scalar, { minLength: 1 }),
    },
    { requiredKeys: ['id'] },
  )
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(steady, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 6 }),
      async input => {
        const together: Page[] = [{ items: input.flat() as Json[] }]
        const apart: Page[] = input.map(items => ({ items: items as Json[] }))
        expect(await outcome(apart, {})).toEqual(await outcome(together, {}))
      },
    ),
    { numRuns: 40 },
  )
})
