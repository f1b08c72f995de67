import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { GetObjectCommand, ListObjectsV2Command, PutObjectCommand } from '@aws-sdk/client-s3'
import { describe, expect, it } from 'vitest'
import { parquetOf } from '#support/parquet-of.ts'
import { startStorageService } from '#support/storage-service.ts'
import { sweepService } from '#support/sweep-all.ts'
import { untilEnd } from '#support/until-end.ts'

const NEVER = Number.MAX_SAFE_INTEGER
const clock = { aheadMs: 0 }

const service = await untilEnd(
  startStorageService({
    rangeBytes: 300,
    roundsNumbers: true,
    now: () => new Date(Date.now() + clock.aheadMs),
  }),
)
const bucketId = await service.createBucket('main')

type Content = string | Uint8Array

/** A file, or slices where there are several; its id. */
const upload = async (content: Content | Content[]): Promise<number> => {
  if (!Array.isArray(content)) return service.upload(content)
  const fileId = await service.uploadSlices(content.map(() => 'x'))
  const file = await service.stores.files.get(fileId)
  for (const [index, Body] of content.entries())
    await service.s3.send(
      new PutObjectCommand({
        Bucket: service.filesBucket,
        Key: `${file?.key}part${index}`,
        Body: Buffer.from(Body),
        ContentLength: Buffer.byteLength(Body),
      }),
    )
  return fileId
}

const rowsOf = async (tableId: string): Promise<(string | null)[][]> => {
  const table = await service.stores.tables.get(tableId)
  if (!table) return []
  const engine = await service.jobServices.tableEngine()
  return (await engine.preview(table.snapshot, { limit: 100_000 })).rows
}

interface Step {
  content: Content | Content[]
  settings?: Record<string, unknown>
}

let tables = 0

/** What the jobs of a new table answer, and its rows in the end. Loads of more bytes than this are large. */
const play = async (steps: Step[], singleLoadBytes: number) => {
  service.jobServices.distribution.singleLoadBytes = singleLoadBytes
  const name = `t${++tables}`
  const answers: unknown[] = []
  for (const [index, { content, settings }] of steps.entries()) {
    const dataFileId = await upload(content)
    const { body: job } = await (index === 0
      ? service.call('POST', `/v2/storage/buckets/${bucketId}/tables-async`, {
          name,
          dataFileId,
          ...settings,
        })
      : service.call('POST', `/v2/storage/tables/${bucketId}.${name}/import-async`, {
          dataFileId,
          ...settings,
        }))
    const { status, results, error, metrics } = job
    const { totalRowsCount, importedRowsCount, importedColumns, warnings, rowsCount, columns } = results ?? {}
    const loaded = { totalRowsCount, importedRowsCount, importedColumns, warnings, rowsCount, columns }
    answers.push({ status, loaded, code: error?.code, message: error?.message, inBytes: metrics?.inBytes })
  }
  return { tableId: `${bucketId}.${name}`, answers, rows: await rowsOf(`${bucketId}.${name}`) }
}

/** Quotes, line breaks and characters of several bytes wherever a file may be cut. */
const records = (from: number, to: number, note = '"q ""é""\r\n😀,\n"'): string =>
  Array.from({ length: to - from }, (_, index) => `${from + index},${note}\n`).join('')

const parquet = (
  from: number,
  to: number,
  columns = `range AS id, 'q "é"' || chr(10) || '😀' AS note`,
): Promise<Buffer> => parquetOf(`SELECT ${columns} FROM range(${from}, ${to})`)
const nanoseconds = await readFile(
  join(import.meta.dirname, '../../lib/table-engine/parquet/written/pyarrow-nanoseconds.parquet'),
)
/** As a file that names its slice and its row. */
const wrongText = await parquetOf(
  String.raw`SELECT range AS id, CASE WHEN range = 25 THEN '\xFF'::BLOB ELSE ('a' || chr(10))::BLOB END AS note FROM range(40)`,
)

/** As JSON lines. */
const lines = (from: number, to: number): string =>
  Array.from({ length: to - from }, (_, row) => `{"note":"\\"x\\n","id":${from + row}}\n`).join('')

const cases: { it: string; steps: Step[] }[] = [
  { it: 'Parquet', steps: [{ content: await parquet(0, 40) }] },
  { it: 'Parquet without rows', steps: [{ content: await parquet(0, 0) }] },
  {
    it: 'slices of Parquet, by a primary key',
    steps: [
      { content: [await parquet(0, 20), await parquet(15, 40, `range AS id, 'second' AS note`)], settings: { primaryKey: 'id' } },
      { content: [await parquet(35, 60), await parquet(60, 61)], settings: { incremental: 1, columns: ['note', 'id'] } },
    ],
  },
  { it: 'Parquet with nanoseconds', steps: [{ content: nanoseconds }] },
  { it: 'Parquet whose columns are not those of the request', steps: [{ content: await parquet(0, 9), settings: { columns: ['id', 'x'] } }] },
  { it: 'slices of Parquet with other columns', steps: [{ content: [await parquet(0, 9), await parquet(0, 9, `'x' AS note, range AS id`)] }] },
  { it: 'slices of Parquet and CSV', steps: [{ content: [await parquet(0, 9), records(0, 20)] }] },
  { it: 'slices of CSV and Parquet', steps: [{ content: [records(0, 20), await parquet(0, 9)], settings: { columns: ['id', 'note'] } }] },
  { it: 'Parquet with bytes that are no text', steps: [{ content: [await parquet(0, 9), wrongText] }] },
  { it: 'Parquet with a list', steps: [{ content: await parquet(0, 9, 'range AS id, [range] AS note') }] },
  { it: 'JSON lines, a list, and other keys in each', steps: [
    { content: gzipSync(`${lines(0, 20)}{"id":20,"late":[1.50]}\n\n`) },
    { content: `[${lines(20, 40).trim().replaceAll('\n', ',\n')}]`, settings: { incremental: 1 } },
    { content: ['', `{"id":40}\n${lines(41, 60)}`, gzipSync(`{"new":"\\n","id":60}\n${lines(61, 70)}`), `[{"note":1}]`] },
  ] },
  { it: 'JSON that lacks a column of the key', steps: [{ content: lines(0, 9), settings: { primaryKey: 'id' } }, { content: `${'{"note":1}\n'.repeat(9)}` }] },
  { it: 'JSON that is no text', steps: [{ content: [lines(0, 9), `${lines(9, 20)}{"id":"\\u0000"}\n`] }] },
  { it: 'blank last lines', steps: [{ content: `id,note\n${records(0, 20)}\n\r\n${'\n'.repeat(60)}` }] },
  { it: 'blank lines before a record', steps: [{ content: `id,note\n${records(0, 20)}${'\n'.repeat(60)}1,2\n` }] },
  { it: 'a new table', steps: [{ content: `id,note\n${records(0, 40)}` }] },
  { it: 'a file without a final line break', steps: [{ content: `id,note\n${records(0, 20)}20,"\n"` }] },
  {
    it: 'rows that are added, and rows that replace all',
    steps: [
      { content: `id,note\n${records(0, 20)}` },
      { content: `note,id\n${records(0, 20, 'x').replaceAll(/(\d+),x/g, '"x\n",$1')}`, settings: { incremental: 1 } },
      { content: `id,note,new\n${records(5, 25, '"\n",""')}` },
    ],
  },
  {
    it: 'a primary key, whose last record wins',
    steps: [
      { content: `id,note\n${records(0, 20)}${records(10, 15, 'second')}`, settings: { primaryKey: 'id' } },
      { content: `id,note\n${records(15, 30, 'third')}${records(18, 22, '"fourth\n"')}`, settings: { incremental: 1 } },
      { content: `id,note\n${records(0, 12, 'fifth')}${records(0, 12, '"sixth\n"')}` },
    ],
  },
  { it: 'gzip', steps: [{ content: gzipSync(`id,note\n${records(0, 60)}`) }] },
  {
    it: 'slices of all sizes, some of them compressed',
    steps: [
      {
        content: [records(0, 20), '', gzipSync(records(20, 50)), '50,x', gzipSync(''), records(51, 53), records(53, 80)],
        settings: { columns: ['id', 'note'] },
      },
    ],
  },
  {
    it: 'another delimiter, ignored lines and a byte order mark',
    steps: [
      {
        content: `\ufeffid;note\nunits "\n${records(0, 20).replaceAll(/^(\d+),/gm, '$1;')}`,
        settings: { delimiter: ';', ignoredLinesCount: 2 },
      },
    ],
  },
  {
    it: 'escape characters',
    steps: [{ content: `id,note\n${records(0, 30, 'a\\\n\\\\\\,b\\"')}`, settings: { escapedBy: '\\' } }],
  },
  {
    it: 'names of columns in the request, and a first line that holds them',
    steps: [{ content: `id,note\n${records(0, 20)}`, settings: { columns: ['id', 'note'] } }],
  },
  {
    it: 'a malformed record',
    steps: [
      { content: 'id,note\n1,one\n' },
      { content: `id,note\n${records(0, 20)}20,too,many\n${records(21, 30)}31\n`, settings: { incremental: 1 } },
    ],
  },
  { it: 'a malformed record in a compressed file', steps: [{ content: gzipSync(`id,note\n${records(0, 9)}9,x"\n`) }] },
  {
    it: 'a malformed record in a slice, and worse slices after it',
    steps: [
      {
        content: [records(0, 9), `${records(9, 20)}20,"x"y\n${records(21, 30)}`, 'PK\u0003\u0004zip', '"'],
        settings: { columns: ['id', 'note'] },
      },
    ],
  },
  { it: 'a file of another kind', steps: [{ content: `PK\u0003\u0004${records(0, 9)}` }] },
  { it: 'broken gzip', steps: [{ content: gzipSync(records(0, 90)).subarray(0, 100) }] },
  {
    it: 'a file that lacks columns of the table',
    steps: [{ content: 'id,note\n1,one\n' }, { content: `id,other\n${records(0, 20)}`, settings: { incremental: 1 } }],
  },
  { it: 'a key that the table would lack', steps: [{ content: `id,note\n${records(0, 9)}`, settings: { primaryKey: 'x' } }] },
  { it: 'a quote that is never closed', steps: [{ content: `id,note\n${records(0, 9)}9,"x\n${records(10, 12, 'y')}` }] },
] // biome-ignore format: one case, one line

describe('a load that outgrows one function has the results and rows of a small one', () => {
  it.each(cases)('$it', async ({ steps }) => {
    const large = await play(steps, 24)
    const small = await play(steps, NEVER)
    expect(large.answers).toEqual(
      JSON.parse(JSON.stringify(small.answers).replaceAll(`"${small.tableId}"`, `"${large.tableId}"`)),
    )
    expect(large.rows.toSorted()).toEqual(small.rows.toSorted())
  })
})

const objectsBelow = async (prefix: string): Promise<string[]> => {
  const { Contents = [] } = await service.s3.send(
    new ListObjectsV2Command({ Bucket: service.tablesBucket, Prefix: prefix }),
  )
  return Contents.map(({ Key = '' }) => Key)
}

describe('a large load', () => {
  it('of Parquet names the row of a value that its column cannot hold, in whatever range it is', async () => {
    service.jobServices.distribution.singleLoadBytes = 24
    const { body } = await service.call('POST', `/v2/storage/buckets/${bucketId}/tables-definition`, {
      name: 'of-parquet',
      columns: [
        { name: 'id', basetype: 'INTEGER' },
        { name: 'note', basetype: 'STRING' },
      ],
    })
    const wrong = await parquet(
      0,
      60,
      `CASE WHEN range = 41 THEN 'x' ELSE range::VARCHAR END AS id, chr(10) || chr(10) AS note`,
    )
    const dataFileId = await upload([await parquet(0, 30), wrong])
    const path = `/v2/storage/tables/${body.results.id}/import-async`
    const { body: job } = await service.call('POST', path, { dataFileId, incremental: 1 })
    expect(job).toMatchObject({
      status: 'error',
      error: { message: expect.stringContaining('In slice 2 of 2, row 42, column "id"') },
    })
  })

  it('is staged in several ranges, of which the table shows only its own columns', async () => {
    const { tableId } = await play(
      [{ content: `id,note\n${records(0, 60)}`, settings: { primaryKey: 'id' } }],
      24,
    )
    const table = await service.stores.tables.get(tableId)
    const staged = await objectsBelow(`tables/${table?.internalId}/${table?.lastJobId}/range-`)
    expect(staged.length).toBeGreaterThan(4)
    expect(table?.snapshot.fields.map(({ name }) => name)).toEqual(['id', 'note'])
    const { Body } = await service.s3.send(
      new GetObjectCommand({ Bucket: service.tablesBucket, Key: table?.snapshot.files[0]?.key ?? '' }),
    )
    expect(Buffer.from((await Body?.transformToByteArray()) ?? []).includes('_load_row')).toBe(false)
  })

  it('leaves nothing behind a day after it ended, but for the files of its table', async () => {
    const loaded = await play([{ content: `id,note\n${records(0, 40)}`, settings: { primaryKey: 'id' } }], 24)
    const failed = await play([{ content: gzipSync(`id,note\n${records(0, 40)}"`) }], 24)
    expect(failed.answers).toMatchObject([{ code: 'invalidCsv' }])
    const sweep = () => sweepService(service, () => new Date(Date.now() + clock.aheadMs))
    for (let day = 0; day < 3; day++) {
      await sweep()
      clock.aheadMs += 30 * 3_600_000
    }
    const named = new Set<string>()
    for await (const key of service.stores.tables.namedKeys(bucketId)) named.add(key)
    const left = await objectsBelow('tables/')
    expect(left.filter(key => !named.has(key))).toEqual([])
    expect(await rowsOf(loaded.tableId)).toHaveLength(40)
    clock.aheadMs = 0
  })

  it.each([
    ['cut', 1],
    ['scanned', 2],
  ])('is refused when its file is replaced before it is %s', async (_what, call) => {
    const { pieces } = service.jobServices
    const { files } = pieces
    let calls = 0
    pieces.files = {
      readDataFile: async function* (address, part) {
        const { bucket: Bucket, key: Key } = address
        if (++calls === call)
          await service.s3.send(new PutObjectCommand({ Bucket, Key, Body: `id,note\n${records(50, 99)}` }))
        yield* files.readDataFile(address, part)
      },
    }
    try {
      const { answers, rows } = await play([{ content: `id,note\n${records(0, 9)}` }], 24)
      expect(answers).toMatchObject([{ status: 'error', code: 'source.changed' }])
      expect(rows).toEqual([])
    } finally {
      pieces.files = files
    }
  })

  it.each([
    ['is larger than one function uncompresses', { compressedBytes: 30 }, 'has \\d+ bytes'],
    ['becomes larger than that', { uncompressedBytes: 300 }, 'is too large when it is uncompressed'],
  ])('is refused when a compressed slice %s, with what to do', async (_what, limits, how) => {
    const { pieces } = service.jobServices
    const before = pieces.gzipLimits
    pieces.gzipLimits = { ...before, ...limits }
    try {
      const packed = gzipSync(`id,note\n${records(0, 40)}`)
      const { answers, rows } = await play([{ content: packed }], 24)
      expect(answers).toMatchObject([
        {
          status: 'error',
          code: 'storage.load.sliceTooLarge',
          message: expect.stringMatching(
            new RegExp(`^The file ${how}.*Upload it uncompressed, or as several slices`),
          ),
        },
      ])
      expect(rows).toEqual([])
      // What is not compressed has no such limit.
      const plain = await play([{ content: `id,note\n${records(0, 40)}` }], 24)
      expect(plain.rows).toHaveLength(40)
    } finally {
      pieces.gzipLimits = before
    }
  })

  it.each([NEVER, 24])('rounds numbers as a small one does (loads above %d bytes are large)', async bytes => {
    service.jobServices.distribution.singleLoadBytes = bytes
    const name = `rounded-${bytes}`
    const tableId = `${bucketId}.${name}`
    await service.call('POST', `/v2/storage/buckets/${bucketId}/tables-definition`, {
      name,
      columns: [
        { name: 'whole', basetype: 'INTEGER' },
        { name: 'cents', definition: { type: 'NUMBER', length: '10,2', nullable: false, default: '0.125' } },
      ],
    })
    const { body } = await service.call('POST', `/v2/storage/tables/${tableId}/import-async`, {
      dataFileId: await upload('whole,cents\n1.5,1.004\n-0.5,-1.005\n2,\n'),
    })
    expect(body).toMatchObject({ status: 'success' })
    expect(await rowsOf(tableId)).toEqual([
      ['2', '1.00'],
      ['-1', '-1.01'],
      ['2', '0.13'],
    ])
  })

  it('brings nothing where the records of its ranges do not touch', async () => {
    const { pieces } = service.jobServices
    const { tableEngine } = pieces
    pieces.tableEngine = async () => {
      const engine = await tableEngine()
      const stageRange: typeof engine.stageRange = async request => {
        const staged = await engine.stageRange(request)
        return { ...staged, spans: staged.spans.map(span => span && { ...span, end: span.end - 1 }) }
      }
      return { ...engine, stageRange }
    }
    try {
      const { answers, rows } = await play([{ content: `id,note\n${records(0, 40)}` }], 24)
      expect(answers).toMatchObject([{ status: 'error' }])
      expect(rows).toEqual([])
    } finally {
      pieces.tableEngine = tableEngine
    }
  })

  it('with types=detect is refused where it makes the table, and a later one keeps its types', async () => {
    const content = `id,note\n${records(0, 40)}`
    const settings = { types: 'detect' }
    const [first] = (await play([{ content, settings }], 24)).answers
    expect(first).toMatchObject({
      code: 'storage.load.detectTooLarge',
      message: expect.stringMatching(/Load a smaller file first, or make the table with a definition\.$/),
    })
    const name = 'detected-before'
    service.jobServices.distribution.singleLoadBytes = NEVER
    const load = async (path: string, body: object, file: string) =>
      (await service.call('POST', path, { dataFileId: await upload(file), ...body, ...settings })).body
    await load(`/v2/storage/buckets/${bucketId}/tables-async`, { name }, 'id,note\n1,x\n')
    service.jobServices.distribution.singleLoadBytes = 24
    const later = await load(
      `/v2/storage/tables/${bucketId}.${name}/import-async`,
      { incremental: 1 },
      content,
    )
    expect(later).toMatchObject({ status: 'success' })
    const { body } = await service.call('GET', `/v2/storage/tables/${bucketId}.${name}`)
    expect(body).toMatchObject({ isTyped: true, rowsCount: 41 })
  })

  it('is refused when one function cannot merge it by its key', async () => {
    const { distribution } = service.jobServices
    const before = distribution.singleMergeBytes
    distribution.singleMergeBytes = 1_000
    try {
      const { answers } = await play(
        [{ content: `id,note\n${records(0, 9)}`, settings: { primaryKey: 'id' } }],
        24,
      )
      expect(answers).toMatchObject([
        {
          status: 'error',
          code: 'storage.load.mergeTooLarge',
          message: expect.stringMatching(/send the rows in several files\.$/),
        },
      ])
    } finally {
      distribution.singleMergeBytes = before
    }
  })
})
