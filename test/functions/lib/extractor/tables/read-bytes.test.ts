import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { itemsAt } from '#lib/extractor/tables/item-log.ts'
import type { TableSink } from '#lib/extractor/tables/sink-types.ts'
import { createTableSink } from '#lib/extractor/tables/table-sink.ts'
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
  /** Pages that were read as bytes. */
  read: number
}

const withSink = async <T>(
  compat: boolean,
  use: (sink: TableSink, out: string) => Promise<T>,
  fromLog = false,
): Promise<T> => {
  const root = mkdtempSync(join(tmpdir(), 'millrace-bytes-'))
  const options = { folder: join(root, 'spool'), compat }
  try {
    const sink = createTableSink(options)
    const checkpoint = fromLog ? withoutLiveRows(sink.checkpoint()) : undefined
    return await use(checkpoint ? createTableSink({ ...options, checkpoint }) : sink, join(root, 'out'))
  } finally {
    rmSync(root, { recursive: true })
  }
}

/** Adds pages whose items are at `data`, from their bytes where that can be, or else from their values alone. */
const addPage = (sink: TableSink, { text, parent = {} }: Page, asBytes: boolean): boolean => {
  const body = Buffer.from(text)
  const source = { body, path: ['data'] }
  const read = asBytes ? sink.readBytes('root', { body, parent }) : undefined
  if (read !== undefined) sink.take('root', read, { parent, source })
  else sink.add('root', itemsAt(parseJson(body), ['data']), asBytes ? { parent, source } : { parent })
  return read !== undefined
}

/** How the rows of pages are written: from their bytes, from their values, or in the end, once all columns are known. */
type Way = 'bytes' | 'values' | 'log'

const outcome = (pages: readonly Page[], compat: boolean, way: Way): Promise<Outcome | string> =>
  withSink(compat, outcomeOf(pages, way === 'bytes'), way === 'log')

const outcomeOf =
  (pages: readonly Page[], asBytes: boolean) =>
  async (sink: TableSink, out: string): Promise<Outcome | string> => {
    try {
      let read = 0
      for (const page of pages) if (addPage(sink, page, asBytes)) read++
      const structure = sink.structure()
      await sink.finish(out)
      const files = Object.fromEntries(
        readdirSync(out).map(name => [name, readFileSync(join(out, name), 'utf8')]),
      )
      return { files, structure, read }
    } catch (error) {
      return error instanceof Error ? error.message : String(error)
    }
  }

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

it('rows written from the bytes of pages equal those from their values, and those from the log', async () => {
  let read = 0
  await fc.assert(
    fc.asyncProperty(fc.array(page, { maxLength: 3 }), fc.boolean(), async (pages, compat) => {
      const all = [{ ...pages[0], text: known }, ...pages]
      const bytes = await outcome(all, compat, 'bytes')
      const values = await outcome(all, compat, 'values')
      const log = await outcome(all, compat, 'log')
      if (typeof bytes === 'object') read += bytes.read
      expect(typeof bytes === 'object' ? { ...bytes, read: 0 } : bytes).toEqual(log)
      expect(values).toEqual(log)
    }),
    { numRuns: runs(360) },
  )
  expect(read).toBeGreaterThan(20)
})

/** All pages are read before the first is taken, so that their rows wait at once. */
const outcomeOfWaiting =
  (pages: readonly string[]) =>
  async (sink: TableSink, out: string): Promise<Record<string, string>> => {
    addPage(sink, { text: known }, false)
    const waiting = []
    for (let i = 0; i < pages.length; i += 6) {
      for (const text of pages.slice(i, i + 6)) {
        const body = Buffer.from(text)
        waiting.push({ read: sink.readBytes('root', { body }), source: { body, path: ['data'] } })
      }
      for (const { read, source } of waiting.splice(0)) {
        if (read !== undefined) sink.take('root', read, { source })
        else sink.add('root', itemsAt(parseJson(source.body), ['data']), { source })
      }
    }
    await sink.finish(out)
    return Object.fromEntries(readdirSync(out).map(name => [name, readFileSync(join(out, name), 'utf8')]))
  }

it('keeps the rows of pages that wait apart, though their memory is used again', async () => {
  const sized = fc.tuple(fc.nat(9), fc.nat(300)).map(([digit, length]) => {
    const word = `${digit}`.repeat(length)
    return `{"data":[{"id":"${word}","words":["${word}",${digit}]},{"id":${digit}}]}`
  })
  await fc.assert(
    fc.asyncProperty(fc.array(sized, { minLength: 4, maxLength: 20 }), async pages => {
      const wanted = await withSink(false, async (sink, out) => {
        for (const text of [known, ...pages]) addPage(sink, { text }, false)
        await sink.finish(out)
        return Object.fromEntries(readdirSync(out).map(name => [name, readFileSync(join(out, name), 'utf8')]))
      })
      expect(await withSink(false, outcomeOfWaiting(pages))).toEqual(wanted)
    }),
    { numRuns: 20 },
  )
})

it('takes no page that JSON does not allow', async () => {
  const text =
    '{"data":[{"id":-10.5e2,"at":{"x":"a\\u00e9\\"b","marks":[1,2]},"words":["t"],"last":true}],"n":null}'
  await withSink(false, async sink => {
    addPage(sink, { text: known }, false)
    expect(sink.readBytes('root', { body: Buffer.from(text) })?.page).toMatchObject({
      count: 1,
      path: ['data'],
    })
    fc.assert(
      fc.property(
        fc.nat(text.length),
        fc.constantFrom('', ',', '"', '\\', '{', ']', '0', 'x', ' ', '\n', '-', '.', 'e', ':'),
        (at, other) => {
          const damaged = text.slice(0, at) + other + text.slice(at + 1)
          const body = Buffer.from(damaged)
          let isJson = true
          try {
            parseJson(body)
          } catch {
            isJson = false
          }
          const read = sink.readBytes('root', { body })
          if (read === undefined) addPage(sink, { text: known }, true) // not too many of them after each other
          if (!isJson) expect(read, damaged).toBeUndefined()
        },
      ),
      { numRuns: 1000 },
    )
  })
})

it('reads no page with two lists, with another list at its place or that is no UTF-8', async () => {
  await withSink(false, async sink => {
    addPage(sink, { text: known }, false)
    const read = (text: string | Buffer, path?: string[]) =>
      sink.readBytes('root', { body: Buffer.from(text), path })?.page.count
    expect(read('{"data":[{"id":1}],"more":{"data":[]}}')).toBe(1)
    expect(read('{"more":{"data":[{"id":1},{"id":2}]},"data":[{"id":1}]}', ['more', 'data'])).toBe(2)
    expect(read('[{"id":1}]')).toBe(1)
    expect(read('{"data":[{"id":1}],"more":[]}')).toBeUndefined()
    expect(read('{"data":[{"id":1}],"data":[{"id":2}]}')).toBeUndefined()
    expect(read('{"data":[{"id":1}],"data":7}', ['data'])).toBeUndefined()
    expect(read('{"data":[]}')).toBeUndefined()
    expect(read('{"data":[null]}')).toBeUndefined()
    expect(read('{"data":[{"id":1}]}', ['other'])).toBeUndefined()
    expect(read(Buffer.from('7b2264617461223a5b7b226964223a22ff227d5d7d', 'hex'))).toBeUndefined()
    expect(read('{"data":[{"id":"\\ud800"}]}')).toBeUndefined()
  })
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
  await withSink(false, async sink => {
    addPage(sink, { text: known }, true)
    for (const text of texts.slice(0, 3)) addPage(sink, { text: `{"data":[${text},null]}` }, true)
    expect(isExact(sink)).toBe(true)
    expect(() => addPage(sink, { text: `{"data":[${texts[3]}]}` }, true)).toThrow('Unhandled nodeType change')
    addPage(sink, { text: known, parent: { id: 1 } }, true) // a parent column that the data has too
    expect(isExact(sink)).toBe(false)
  })
})
