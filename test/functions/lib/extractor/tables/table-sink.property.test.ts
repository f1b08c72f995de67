import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Json } from '#lib/json/json-value.ts'
import { parseJson } from '#lib/json/parse-json.ts'
import { runs } from '#support/thorough.ts'
import { randomPages as pages, scalar } from './random-pages.ts'
import { type Page, type RunOptions, runSink } from './run-sink.ts'

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
    { numRuns: runs(120) },
  )
})

it('stopping and resuming after any pages changes nothing', async () => {
  await fc.assert(
    fc.asyncProperty(pages, fc.array(fc.nat(4)), fc.boolean(), async (input, stopAfter, compat) => {
      expect(await outcome(input, { compat, stopAfter })).toEqual(await outcome(input, { compat }))
    }),
    { numRuns: runs(80) },
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
    { numRuns: runs(40) },
  )
})
