import fc from 'fast-check'
import type { JsonObject } from '#lib/json/json-value.ts'
import type { Page } from './run-sink.ts'

export const scalar = fc.oneof(
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
/** Pages of two data types, mostly of rows that fit, with parent columns now and then. */
export const randomPages = fc.array(
  fc.record({
    type: fc.constantFrom('root', 'root', 'other'),
    items: fc.array(fc.oneof({ weight: 20, arbitrary: item }, { weight: 1, arbitrary: fc.constant(null) }), {
      maxLength: 5,
    }),
    parent: fc.constantFrom<JsonObject>({}, {}, {}, { parent_id: 1 }, { s: 2 }, { parent_id: 1, day: null }),
  }),
  { maxLength: 5 },
) as fc.Arbitrary<Page[]>
