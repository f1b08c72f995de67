import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { TableSink } from '#lib/extractor/tables/table-sink.ts'
import { createTableSink } from '#lib/extractor/tables/table-sink.ts'
import { itemsAt } from '#lib/extractor/tables/table-spool.ts'
import type { JsonObject } from '#lib/json/json-value.ts'
import { parseJson } from '#lib/json/parse-json.ts'
import { runs } from '#support/thorough.ts'
import { withoutLiveRows } from './run-sink.ts'

interface Page {
  /** JSON as an API sends it. */
  text: string
  parent?: JsonObject
}

interface Outcome {
  files: Record<string, string>
  structure: unknown
}

const withSink = async <T>(
  options: { compat: boolean; fromLog?: boolean; parser?: 'legacy' },
  use: (sink: TableSink, out: string) => Promise<T>,
): Promise<T> => {
  const root = mkdtempSync(join(tmpdir(), 'millrace-texts-'))
  const { fromLog = false, ...given } = options
  const sinkOptions = { folder: join(root, 'spool'), ...given }
  try {
    const sink = createTableSink(sinkOptions)
    const checkpoint = fromLog ? withoutLiveRows(sink.checkpoint()) : undefined
    return await use(checkpoint ? createTableSink({ ...sinkOptions, checkpoint }) : sink, join(root, 'out'))
  } finally {
    rmSync(root, { recursive: true })
  }
}

/** Adds a page whose items are at `data`. */
const addPage = (sink: TableSink, { text, parent = {} }: Page, withSource = true): void => {
  const body = Buffer.from(text)
  const source = { body, path: ['data'] }
  sink.add('root', itemsAt(parseJson(body), ['data']), withSource ? { parent, source } : { parent })
}

/** @param fromLog rows are written in the end, once all columns are known, and not while pages come */
const outcome = (
  pages: readonly Page[],
  compat: boolean,
  { fromLog = false, withSource = true } = {},
): Promise<Outcome | string> =>
  withSink({ compat, fromLog }, async (sink, out) => {
    try {
      for (const page of pages) addPage(sink, page, withSource)
      const structure = sink.structure()
      await sink.finish(out)
      const files = Object.fromEntries(
        readdirSync(out).map(name => [name, readFileSync(join(out, name), 'utf8')]),
      )
      return { files, structure }
    } catch (error) {
      return error instanceof Error ? error.message : String(error)
    }
  })

const scalars = [
  ...[
    '0',
    '-0',
    '7',
    '-12',
    '999999999999999',
    '1234567890123456',
    '12345678901234567890',
    '-9223372036854775808',
  ],
  ...['1.50', '0.1', '-64.20067423342', '1e5', '1E-7', '12.0e+3', '5e-324', '1e400', '64.909297426825681'],
  ...[
    '""',
    '"0"',
    '"plain"',
    '"said \\"so\\""',
    '"a,b\\n\\r\\t\\\\"',
    '"caf\\u00e9 ž"',
    '"\\ud83d\\ude00 😀"',
    '"\\u0001\\/"',
  ],
  ...['true', 'false', 'null'],
]
const scalar = fc.oneof(
  fc.constantFrom(...scalars),
  fc.string().map(text => JSON.stringify(text)),
)
const listOf = (item: fc.Arbitrary<string>) =>
  fc.array(item, { maxLength: 12 }).map(items => `[ ${items.join(',')}]`)
/** An object with the keys mostly in this order, some left out, and now and then one twice. */
const objectOf = (fields: Record<string, fc.Arbitrary<string>>, blank: string): fc.Arbitrary<string> => {
  const texts = Object.entries(fields).map(([key, value]) =>
    fc.option(value.map(text => `${blank}${key.startsWith('"') ? key : `"${key}"`}${blank}:${text}`)),
  )
  const positions = texts.map((_, position) => position)
  const order = fc.oneof(
    { weight: 20, arbitrary: fc.constant(positions) },
    { weight: 3, arbitrary: fc.shuffledSubarray(positions) },
    { weight: 1, arbitrary: fc.array(fc.constantFrom(...positions), { maxLength: 6 }) },
  )
  return fc
    .tuple(fc.tuple(...texts), order)
    .map(([all, order]) => `{${order.flatMap(position => all[position] ?? []).join(`${blank},`)}${blank}}`)
}

const row = (blank: string): fc.Arbitrary<string> => {
  const tag = objectOf(
    { name: scalar, notes: listOf(scalar), in: objectOf({ deep: listOf(scalar), x: scalar }, blank) },
    blank,
  )
  const fields = {
    id: scalar,
    'ž é': scalar,
    at: objectOf({ x: scalar, marks: listOf(scalar), y: scalar }, blank),
    tags: fc.oneof({ weight: 9, arbitrary: listOf(tag) }, { weight: 1, arbitrary: fc.constant('null') }),
    words: fc.oneof({ weight: 4, arbitrary: listOf(scalar) }, { weight: 1, arbitrary: scalar }),
    '"10"': scalar,
    '"say \\"\\u0069\\""': scalar,
    shape: fc.oneof(
      { weight: 12, arbitrary: listOf(scalar) },
      { weight: 1, arbitrary: listOf(listOf(objectOf({ a: scalar, '"\\n"': scalar }, blank))) },
    ),
    last: scalar,
  }
  return fc.oneof(
    { weight: 30, arbitrary: objectOf(fields, blank) },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        'null',
        '{"new":1}',
        '{"id":1,"id":2}',
        '{"id":{}}',
        '{"last":1,"id":2}',
        '[1]',
      ),
    },
  )
}

/** All that rows can have, so that a page after it brings nothing new. */
const known =
  '{"data":[{"id":1,"ž é":1,"at":{"x":1,"marks":[1],"y":1},"tags":[{"name":1,"notes":[1],"in":{"deep":[1],"x":1}}],"words":[1],"10":1,"say \\"i\\"":1,"shape":[1],"last":1}]}'

const page = fc.constantFrom('', ' ', '\n\t').chain(blank =>
  fc.record({
    text: fc
      .tuple(
        fc.array(row(blank), { maxLength: 4 }),
        fc.constantFrom('', '"next":{"data":[1]},', '"n":-1.5e3,"x":"]",'),
      )
      .map(
        ([rows, before]) =>
          `${blank}{${before}"data":${blank}[${rows.join(',')}${blank}],"total":{"of":"}"}}${blank}`,
      ),
    parent: fc.constantFrom<JsonObject>({}, {}, { parent_id: 1.5, 'day "x"': null }, { id: 2 }),
  }),
)

it('rows written while pages come equal those written of the log, and what the log keeps does not matter', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(page, { maxLength: 3 }), fc.boolean(), async (pages, compat) => {
      const all = [{ ...pages[0], text: known }, ...pages]
      const log = await outcome(all, compat, { fromLog: true })
      expect(await outcome(all, compat)).toEqual(log)
      expect(await outcome(all, compat, { withSource: false })).toEqual(log)
    }),
    { numRuns: runs(360) },
  )
})

it('rows are as wide as the header of their table, also where the data have the name of a column from above', async () => {
  const first = {
    text: '{"data":[{"id":1,"JSON_parentId":7,"l":[{"JSON_parentId":2}]},{"id":2,"l":[{"x":1}]}]}',
  }
  const found = await outcome([first, first], false)
  const files = typeof found === 'object' ? found.files : {}
  for (const [name, text] of Object.entries(files))
    if (!name.endsWith('.manifest'))
      expect(
        new Set(
          text
            .trim()
            .split('\n')
            .map(line => line.split(',').length),
        ),
        name,
      ).toEqual(new Set([text.split('\n')[0]?.split(',').length]))
})

it('writes rows while pages arrive, whatever order and spelling their keys have', async () => {
  const texts = [
    '{"last":1,"at":{"y":2,"marks":[3,4],"x":1},"words":["w"],"id":5,"tags":[{"in":{"x":6,"deep":[7]},"name":8}]}',
    '{"say \\u0022i\\"":1,"10":2,"id":3,"\\u0069d":4}',
    '{"shape":[[1,{"b":2,"a":3,"b":4}]],"later":5,"id":6}',
    '{"id":{"x":1}}',
  ]
  const isExact = (sink: TableSink): unknown =>
    (sink.checkpoint()['automatic'] as { isExact: boolean }).isExact // made by automatic tables
  await withSink({ compat: false }, async sink => {
    addPage(sink, { text: known })
    for (const text of texts.slice(0, 3)) addPage(sink, { text: `{"data":[${text},null]}` })
    expect(isExact(sink)).toBe(true)
    expect(() => addPage(sink, { text: `{"data":[${texts[3]}]}` })).toThrow('Unhandled nodeType change')
    addPage(sink, { text: known, parent: { id: 1 } }) // a parent column that the data has too
    expect(isExact(sink)).toBe(false)
  })
})
