import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { BODY_IN_MEMORY_BYTES } from '#lib/extractor/requests/http/network.ts'
import { folderUntilEnd } from '#support/until-end.ts'
import type { Answer } from '../../api-server.ts'
import { rowCount, runExtraction, type Settings } from '../../run-extraction.ts'

const csv = 'id,name\n1,Ann\n2,"Bo ""B"""\n'
const lines = '{"id": 1, "price": 1.50}\n\n{"id": 2, "price": 12345678901234567890}\n'

/** Answers each request with the same bytes. */
const send =
  (body: string | Buffer, type = 'application/octet-stream', headers: Record<string, string> = {}): Answer =>
  (_, response) => {
    response.writeHead(200, { 'content-type': type, ...headers })
    response.end(body)
  }

const job = (response: object | undefined, more: object = {}): Settings => ({
  api: { retryConfig: { maxRetries: 0 } },
  config: { jobs: [{ endpoint: 'items', ...(response === undefined ? {} : { response }), ...more }] },
})

const failure = async (answer: Answer, settings: Settings) => {
  const { error, result } = await runExtraction(answer, settings)
  expect(result).toBeUndefined()
  return { code: (error as { code?: string } | undefined)?.code, message: error?.message ?? '' }
}

describe('an answer becomes rows', () => {
  const twoRows = 'id,name\n"1","Ann"\n"2","Bo ""B"""\n'
  const inColumns = (table: string | undefined): unknown => table?.replaceAll('"id","name"', 'id,name')

  it.each([
    ['CSV by key', csv, 'application/octet-stream', { format: 'csv' }],
    ['CSV with a byte order mark', `\ufeff${csv}`, 'text/csv', { format: 'csv' }],
    [
      'CSV with other signs',
      'id;name\n1;Ann\n2;\'Bo "B"\'\n',
      'text/csv',
      { format: 'csv', delimiter: ';', quote: "'" },
    ],
    ['CSV without a header', '1,Ann\n2,"Bo ""B"""', 'text/csv', { format: 'csv', columns: ['id', 'name'] }],
    ['CSV below a title', `Report\nof today\n${csv}`, 'text/csv', { format: 'csv', skipLines: 2 }],
    ['CSV in UTF-16', Buffer.from(csv, 'utf16le'), 'text/csv', { format: 'csv', encoding: 'utf-16le' }],
    ['gzip', gzipSync(csv), 'application/gzip', { format: 'csv' }],
    [
      'gzip in two members',
      Buffer.concat([gzipSync(csv.slice(0, 14)), gzipSync(csv.slice(14))]),
      'application/gzip',
      { format: 'csv' },
    ],
  ])('of %s', async (_, body, type, response) => {
    const { tables, error } = await runExtraction(send(body, type), job(response))
    expect(error).toBeUndefined()
    expect(inColumns(tables['items'])).toBe(twoRows)
  })

  it('of JSON lines, with the text of numbers', async () => {
    const { tables } = await runExtraction(send(lines, 'application/x-ndjson'), job({ format: 'jsonl' }))
    expect(tables['items']).toBe('"id","price"\n"1","1.50"\n"2","12345678901234567890"\n')
  })

  it('of a sequence of JSON texts', async () => {
    const { tables } = await runExtraction(
      send('\x1e{"id": 1}\n\x1e{"id": 2}\n', 'application/json-seq'),
      job({ format: 'jsonl' }),
    )
    expect(tables['items']).toBe('"id"\n"1"\n"2"\n')
  })

  it.each([{ format: 'json' }, { format: 'csv' }])('of status 204, which are none: %j', async response => {
    const { tables, error } = await runExtraction(
      (_, response) => response.writeHead(204).end(),
      job(response, { dataField: 'feed.entry' }),
    )
    expect(error).toBeUndefined()
    expect(tables).toEqual({})
  })

  it('of JSON in gzip', async () => {
    const { tables } = await runExtraction(
      send(gzipSync('{"a": [{"id": 1}]}'), 'application/json'),
      job({ format: 'json' }),
    )
    expect(tables['items']).toBe('"id"\n"1"\n')
  })

  it('as plain JSON does without the key', async () => {
    const answer: Answer = () => ({ list: [{ id: 1 }] })
    const [before, after] = await Promise.all([
      runExtraction(answer, job(undefined)),
      runExtraction(answer, job({ format: 'json' })),
    ])
    expect(after.tables).toEqual(before.tables)
  })
})

describe('an answer that is not whole is an error and gives no rows', () => {
  const big = `id,name\n${Array.from({ length: 5_000 }, (_, id) => `${id},${'x'.repeat(20)}`).join('\n')}\n`
  it.each([
    ['a damaged gzip', Buffer.from(gzipSync(big)).fill(7, 200, 220), { format: 'csv' }, 'gzip'],
    ['CSV within a quote', 'id,name\n1,"An', { format: 'csv' }, 'CSV'],
    ['CSV within a record', 'id,name\n1,Ann\n2', { format: 'csv' }, 'CSV'],
    ['JSON lines', `${lines}{"id": 3, "pri`, { format: 'jsonl' }, 'line 4'],
  ])('%s', async (_, body, response, part) => {
    const { code, message } = await failure(send(body), job(response, { dataField: 'feed.entry' }))
    expect({ code, message }).toEqual({
      code: 'extractor.response.damaged',
      message: expect.stringContaining(part),
    })
  })

  it('a body that is shorter than its length', async () => {
    const answer: Answer = (_, response) => {
      response.writeHead(200, { 'content-type': 'text/csv', 'content-length': '1000' })
      response.write(csv)
      response.destroy()
    }
    expect((await failure(answer, job({ format: 'csv' }))).code).toBe('extractor.request.failed')
  })
})

describe('an answer is refused', () => {
  it.each([
    [
      'two columns of one name',
      send('id,id\n1,2\n', 'text/csv'),
      { format: 'csv' },
      'extractor.response.damaged',
    ],
    [
      'bytes of another encoding',
      send(Buffer.from('id\n\xe9\n', 'latin1'), 'text/csv'),
      { format: 'csv' },
      'extractor.response.damaged',
    ],
  ])('%s', async (_, answer, response, code) => {
    expect((await failure(answer, job(response))).code).toBe(code)
  })

  it('what unpacks to more than the limit', async () => {
    const bomb = gzipSync(`id\n${'1\n'.repeat(1_000_000)}`)
    const settings = job({ format: 'csv' })
    const limited = { ...settings, api: { ...settings.api, http: { bodyLimitBytes: 100_000 } } }
    expect(bomb.length).toBeLessThan(100_000)
    expect((await failure(send(bomb), limited)).code).toBe('extractor.response.tooLarge')
  })
})

describe('pages of answers', () => {
  it('are counted, and their items compared, over all parts of an answer', async () => {
    const row = (id: number) => `${JSON.stringify({ id, text: 'x'.repeat(900) })}\n`
    const answer: Answer = ({ query }, response) => {
      const from = Number(query.get('since') ?? 0)
      response.setHeader('content-type', 'application/x-ndjson')
      // The largest id comes first, in a part that is not the last
      const ids = from === 0 ? Array.from({ length: 4_000 }, (_, index) => 4_000 - index) : []
      response.end(ids.map(row).join(''))
    }
    const { tables, requests, result } = await runExtraction(answer, {
      api: { pagination: { method: 'cursor', idKey: 'id', param: 'since' }, response: { format: 'jsonl' } },
    })
    expect(requests.map(({ url }) => url)).toEqual(['/items', '/items?since=4000'])
    expect(rowCount(tables['items'])).toBe(4_000)
    expect(result?.summary.jobs).toMatchObject([{ pages: 2, rows: 4_000 }])
  })
})

describe('a body that is too large for memory', () => {
  const rows = Array.from({ length: 10_000 }, (_, id) => `${id},${'text of a row '.repeat(40)}`)
  const large = Buffer.from(`id,text\n${rows.join('\n')}\n`)

  it('waits in a file, decoded, and leaves nothing behind', async () => {
    expect(large.length).toBeGreaterThan(BODY_IN_MEMORY_BYTES)
    const folder = folderUntilEnd()
    for (const [body, headers] of [
      [large, {}],
      [
        brotliCompressSync(large, { params: { [constants.BROTLI_PARAM_QUALITY]: 0 } }),
        { 'content-encoding': 'br' },
      ],
    ] as const) {
      const spoolDir = join(folder, 'spool')
      const { tables, error } = await runExtraction(send(body, 'text/csv', headers), {
        ...job({ format: 'csv' }),
        options: { spoolDir },
      })
      expect(error).toBeUndefined()
      expect(rowCount(tables['items'])).toBe(10_000)
      expect(readdirSync(spoolDir)).toEqual([])
    }
  })

  it('is asked for again when it breaks off, and its rows are there once', async () => {
    let attempts = 0
    const { tables, requests } = await runExtraction(
      (_, response) => {
        response.writeHead(200, { 'content-type': 'text/csv', 'content-length': `${large.length}` })
        if (++attempts > 1) response.end(large)
        else response.write(large.subarray(0, BODY_IN_MEMORY_BYTES + 100_000), () => response.destroy())
      },
      {
        api: { retryConfig: { maxRetries: 1 } },
        config: { jobs: [{ endpoint: 'items', response: { format: 'csv' } }] },
      },
    )
    expect(requests).toHaveLength(2)
    expect(rowCount(tables['items'])).toBe(10_000)
  })
})
