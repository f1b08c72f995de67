import { mkdir, mkdtemp, readdir, rm, utimes } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fitToColumns, openDuckDbSession } from '#lib/table-engine/duckdb-session.ts'

let scratchDir: string
beforeAll(async () => {
  scratchDir = await mkdtemp(path.join(tmpdir(), 'millrace-duckdb-'))
})
afterAll(() => rm(scratchDir, { recursive: true, force: true }))

const open = () => openDuckDbSession({ scratchDir, memoryLimitMiB: 256, threads: 2 })

describe('a session', () => {
  it('has CSV and Parquet built in, and installs nothing', async () => {
    const session = await open()
    const rows = await session.query(`
      SELECT current_setting('autoinstall_known_extensions'), current_setting('autoload_known_extensions'),
        (SELECT count(*) FROM duckdb_extensions() WHERE extension_name = 'parquet' AND loaded),
        (SELECT count(*) > 0 FROM duckdb_functions() WHERE function_name = 'read_csv')`)
    expect(rows).toEqual([[false, false, 1n, true]])
    await session.close()
  })

  it('keeps the order of rows in order', async () => {
    const session = await open()
    const target = session.scratchPath('rows.parquet')
    await session.runInOrder(`COPY (SELECT range AS n FROM range(500000)) TO '${target}' (FORMAT parquet)`)
    const [row] = await session.query(`SELECT bool_and(n = file_row_number) FROM read_parquet('${target}')`)
    expect(row).toEqual([true])
    await session.close()
  })

  it('is closed after the statements that run, and before those that wait', async () => {
    const session = await open()
    const count = 'SELECT count(*) FROM range(20000000) AS r(n) WHERE hash(n) % 3 = 0'
    const results = [1, 2, 3].map(() => session.runInOrder(count).then(rows => rows.length, String))
    await new Promise(resolve => setImmediate(resolve))
    await session.close()
    expect((await Promise.all(results)).sort()).toEqual([
      1,
      1,
      'Error: The session was closed before this statement could run.',
    ])
  })

  it('leaves nothing behind, and removes what a killed session left', async () => {
    const abandoned = path.join(scratchDir, 'tables-abandoned')
    const recent = path.join(scratchDir, 'tables-recent')
    await mkdir(path.join(abandoned, 'spill'), { recursive: true })
    await mkdir(recent)
    const longAgo = new Date(Date.now() - 2 * 60 * 60 * 1000)
    await utimes(abandoned, longAgo, longAgo)
    await (await open()).close()
    expect(await readdir(scratchDir)).toEqual(['tables-recent'])
  })
})

describe('fitToColumns', () => {
  it.each([
    { columns: 10, threads: 2, memoryLimitMiB: 256, fit: { threads: 2, memoryLimitMiB: 256 } },
    { columns: 200, threads: 2, memoryLimitMiB: 256, fit: { threads: 2, memoryLimitMiB: 256 } },
    { columns: 500, threads: 2, memoryLimitMiB: 256, fit: { threads: 1, memoryLimitMiB: 256 } },
    { columns: 500, threads: 2, memoryLimitMiB: 512, fit: { threads: 2, memoryLimitMiB: 512 } },
    { columns: 2_000, threads: 2, memoryLimitMiB: 256, fit: { threads: 1, memoryLimitMiB: 588 } },
  ])('$columns columns, $threads threads, $memoryLimitMiB MiB', ({ fit, ...request }) => {
    expect(fitToColumns(request)).toEqual(fit)
  })
})
