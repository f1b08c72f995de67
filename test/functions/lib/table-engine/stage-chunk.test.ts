import { readdir } from 'node:fs/promises'
import path from 'node:path'
import { expect, it } from 'vitest'
import type { CsvChunk } from '#lib/table-engine/csv/split-csv.ts'
import { DuckDbPool } from '#lib/table-engine/duckdb/confined-duckdb.ts'
import { openDuckDbSession } from '#lib/table-engine/duckdb/duckdb-session.ts'
import { stageChunk } from '#lib/table-engine/stage-chunk.ts'
import { folderUntilEnd, untilEnd } from '#support/until-end.ts'

type StageRequest = Parameters<typeof stageChunk>[1]

const scratchDir = folderUntilEnd()
const session = await untilEnd(
  openDuckDbSession({ pool: new DuckDbPool({ scratchDir, memoryLimitMiB: 200 }), threads: 2 }),
)

const twoColumns = [
  { id: 2, name: 'a', type: 'string' as const, cell: 0 },
  { id: 3, name: 'b', type: 'string' as const, cell: 1 },
]

const chunkOf = (text: string, records: number): CsvChunk => ({
  bytes: Buffer.from(text),
  records,
  columns: 2,
  hasReturns: false,
  hasBlankLines: false,
  isHeader: false,
  release: () => undefined,
  start: { offset: 0, line: 1 },
  origins: [{ source: undefined, line: 1, records }],
})

const stage = (chunk: CsvChunk, name: string, columns: StageRequest['columns'] = twoColumns) =>
  stageChunk(session, {
    chunk,
    source: { delimiter: ',', enclosure: '"', escapedBy: '' },
    columns,
    loadedAt: new Date(0),
    isKeyed: false,
    name,
  })

const csvFiles = async (): Promise<string[]> =>
  (await readdir(path.dirname(session.scratchPath('x')))).filter(name => name.endsWith('.csv'))

it('stageChunk fails as a bug when DuckDB counts other rows than the scanner, and keeps no CSV', async () => {
  const staged = stage(chunkOf('1,2\n3,4\n', 3), 'part-1')
  await expect(staged).rejects.toMatchObject({
    name: 'Error',
    message: 'DuckDB read 2 rows where the scanner counted 3 records (part-1).',
  })
  expect(await csvFiles()).toEqual([])
})

it.each([
  { what: 'read as they are', text: '1,2\n3,4\n' },
  { what: 'rewritten first', text: '\ufeff1,2\n3,4\n' },
])(
  'stageChunk keeps records whose memory is used again before DuckDB reads them: $what',
  async ({ text }) => {
    const chunk = chunkOf(text, 2)
    const { rows, path: parquet } = await stage(
      { ...chunk, release: () => void chunk.bytes.fill('x') },
      `again-${text.length}`,
    )
    expect(rows).toBe(2)
    const [first] = await session.query(`SELECT strlen(a), b FROM read_parquet('${parquet}')`)
    expect(first).toEqual([BigInt(Buffer.byteLength(text) - 7), '2'])
    expect(await csvFiles()).toEqual([])
  },
)

it('stageChunk names a cell that its column cannot hold, though the memory of the chunk is used again', async () => {
  const chunk = chunkOf('1,2\n3,x\n', 2)
  const staged = stage({ ...chunk, release: () => void chunk.bytes.fill('9') }, 'typed', [
    { id: 2, name: 'a', type: 'string', cell: 0 },
    {
      id: 3,
      name: 'b',
      type: 'long',
      cell: 1,
      rules: { nullable: true },
    },
  ])
  await expect(staged).rejects.toMatchObject({
    code: 'csvImport.invalidValue',
    params: { line: 2, column: 'b', value: 'x' },
  })
  expect(await csvFiles()).toEqual([])
})

it('stageChunk says what is wrong with the disk, and releases the chunk', async () => {
  const released: string[] = []
  const staged = stage(
    { ...chunkOf('1,2\n', 1), release: () => void released.push('part') },
    'no-such-folder/part',
  )
  await expect(staged).rejects.toThrow(/ENOENT/)
  expect(released).toEqual(['part'])
})

it('a chunk is in a file, and its memory free for the next one, before anything else can run', async () => {
  const chunk = chunkOf('1,2\n3,4\n', 2)
  const staged = stage({ ...chunk, release: () => void chunk.bytes.fill(0) }, 'part-written')
  expect(chunk.bytes.every(byte => byte === 0)).toBe(true)
  expect(await staged).toMatchObject({ rows: 2 })
})
