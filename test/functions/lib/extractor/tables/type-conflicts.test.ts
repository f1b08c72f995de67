import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Json } from '#lib/json/json-value.ts'
import { runs } from '#support/thorough.ts'
import { runExtraction } from '../run-extraction.ts'
import { type Page, runSink } from './run-sink.ts'

const keep = { typeConflicts: 'keep' as const }

/** Lists have elements, none of them null: Generic Extractor forgets what such a list was, with or without conflicts. */
const scalar = fc.constantFrom<Json>('a', '', 1, true)
const row: fc.Arbitrary<Json> = fc.letrec<{ value: Json; row: Json }>(tie => ({
  value: fc.oneof(
    { maxDepth: 3 },
    scalar,
    fc.array(tie('value'), { minLength: 1, maxLength: 3 }),
    fc.dictionary(fc.constantFrom('x', 'y'), fc.oneof(tie('value'), fc.constant<Json>(null)), { maxKeys: 2 }),
  ),
  row: fc.dictionary(fc.constantFrom('id', 'a', 'b'), tie('value'), { minKeys: 1, maxKeys: 3 }),
})).row

const pages: fc.Arbitrary<Page[]> = fc.array(
  fc.record({ items: fc.array(row, { minLength: 1, maxLength: 4 }) }),
  { minLength: 1, maxLength: 4 },
)

describe('a value that does not fit its column, kept', () => {
  it('never ends the run, is said, and makes the usual tables where all values fit', async () => {
    await fc.assert(
      fc.asyncProperty(pages, async given => {
        const said: string[] = []
        const kept = await runSink(given, {
          ...keep,
          warn: text => void (text.includes('_conflict') && said.push(text)),
        })
        const usual = await runSink(given).catch(() => undefined)
        if (usual === undefined) expect(said).not.toEqual([])
        if (said.length === 0) expect(kept).toEqual(usual)
      }),
      { numRuns: runs(200) },
    )
  })

  it('makes the same tables after a stop', async () => {
    await fc.assert(
      fc.asyncProperty(pages, fc.nat(3), async (given, stop) => {
        const whole = await runSink(given, keep)
        expect(await runSink(given, { ...keep, stopAfter: [stop] })).toEqual(whole)
      }),
      { numRuns: runs(80) },
    )
  })

  it.each<[string, Json[], string]>([
    ['an object among texts', [{ a: 'x' }, { a: { b: 1 } }], '"a","a_conflict"\n"x",""\n"","{""b"":1}"\n'],
    ['a text among objects', [{ a: { b: 1 } }, { a: 'x' }], '"a_b","a_conflict"\n"1",""\n"","""x"""\n'],
    [
      'below an object',
      [{ a: { b: 1 } }, { a: { b: { c: 2 } } }],
      '"a_b","a_b_conflict"\n"1",""\n"","{""c"":2}"\n',
    ],
    [
      'beside a column that has the name',
      [
        { a: 'x', a_conflict: 1 },
        { a: {}, a_conflict: 2 },
      ],
      '"a","a_conflict","a_conflict_2"\n"x","1",""\n"","2","{}"\n',
    ],
    ['as a row among objects', [{ a: 1 }, 'x'], '"a","data_conflict"\n"1",""\n"","""x"""\n'],
    ['as a row among texts', ['x', { a: 1 }], '"data"\n"x"\n"{""a"":1}"\n'],
  ])('%s', async (_, items, expected) => {
    expect((await runSink([{ items }], keep))['root']).toBe(expected)
  })

  it('a list of two kinds, or of another kind than before, goes aside as a whole', async () => {
    const items = [
      { id: 1, a: ['x'] },
      { id: 2, a: ['y', { z: 1 }] },
      { id: 3, a: [{ z: 1 }] },
    ]
    const tables = await runSink([{ items }], keep)
    expect(tables['root']?.split('\n').map(line => line.split(',').at(-1))).toEqual(
      ['"a_conflict"', '""', '{""z"":1}]"', '"[{""z"":1}]"', undefined].map(cell => cell ?? ''),
    )
    expect(tables['root_a']).toContain('"x"')
  })

  it('goes by what earlier runs have seen, and is said once per place', async () => {
    const settings = { config: { typeConflicts: 'keep' } }
    const first = await runExtraction(() => [{ a: { b: 1 } }], settings)
    const state = first.result?.finished === true ? first.result.state : undefined
    const second = await runExtraction(() => [{ a: 'x' }, { a: 'y' }], { ...settings, options: { state } })
    expect(second.tables).toEqual({ items: '"a_b","a_conflict"\n"","""x"""\n"","""y"""\n' })
    expect(second.logs.filter(({ level }) => level === 'warning').map(({ message }) => message)).toEqual([
      "'items.a' is an object in most rows; values of another kind are in the column 'a_conflict' as JSON.",
    ])
  })

  it('is refused with the tables of old', async () => {
    const { error } = await runExtraction(() => [], { config: { typeConflicts: 'keep', compatLevel: 1 } })
    expect(error).toMatchObject({ code: 'extractor.config.invalid' })
  })
})
