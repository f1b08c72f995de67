import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { RFC_4180 } from '#lib/table-engine/csv/csv-dialect.ts'
import { type DuckDbSession, openDuckDbSession } from '#lib/table-engine/duckdb-session.ts'
import { stageChunk } from '#lib/table-engine/stage-chunk.ts'

let scratchDir: string
let session: DuckDbSession
beforeAll(async () => {
  scratchDir = await mkdtemp(path.join(tmpdir(), 'millrace-stage-'))
  session = await openDuckDbSession({ scratchDir, memoryLimitMiB: 200, threads: 2 })
})
afterAll(async () => {
  await session.close()
  await rm(scratchDir, { recursive: true, force: true })
})

it('stageChunk fails as a bug when DuckDB counts other rows than the scanner, and keeps no CSV', async () => {
  const bytes = Buffer.from('1,2\n3,4\n')
  const staged = stageChunk(session, {
    chunk: {
      bytes,
      records: 3,
      columns: 2,
      longestRecord: 4,
      hasReturns: false,
      hasBlankLines: false,
      isHeader: false,
      release: () => undefined,
      start: { offset: 0, line: 1 },
    },
    dialect: RFC_4180,
    columns: [
      { id: 2, name: 'a', type: 'string', cell: 0 },
      { id: 3, name: 'b', type: 'string', cell: 1 },
    ],
    loadedAt: new Date(0),
    treatValuesAsNull: [],
    isKeyed: false,
    name: 'part-1',
  })
  await expect(staged).rejects.toMatchObject({
    name: 'Error',
    message: 'DuckDB read 2 rows where the scanner counted 3 records (part-1).',
  })
  const folder = path.dirname(session.scratchPath('x'))
  expect((await readdir(folder)).filter(name => name.endsWith('.csv'))).toEqual([])
})
