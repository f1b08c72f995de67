import { mkdir, readdir, rm, utimes, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { DuckDbPool } from '#lib/table-engine/duckdb/confined-duckdb.ts'
import {
  type DuckDbSession,
  fitToColumns,
  openDuckDbSession,
} from '#lib/table-engine/duckdb/duckdb-session.ts'
import { folderUntilEnd } from '#support/until-end.ts'

const scratchDir = folderUntilEnd()

const pool = new DuckDbPool({ scratchDir, memoryLimitMiB: 256 })
const open = (signal?: AbortSignal) => openDuckDbSession({ pool, threads: 2, signal })

describe('a session', () => {
  it('has CSV and Parquet built in, and installs nothing', async () => {
    const session = await open()
    const rows = await session.query(`
      SELECT current_setting('autoinstall_known_extensions'), current_setting('autoload_known_extensions'),
        (SELECT count(DISTINCT function_name) FROM duckdb_functions() WHERE function_name IN ('read_csv', 'read_parquet'))`)
    expect(rows).toEqual([[false, false, 2n]])
    await session.close()
  })

  describe('cannot leave its folder', () => {
    const outside = () => path.join(scratchDir, 'outside.txt')
    const near = (folder: string) => `${folder}-near.parquet`

    it.each([
      ['read a file elsewhere', () => `SELECT * FROM read_text('${outside()}')`],
      ['read the environment of the process', () => "SELECT * FROM read_text('/proc/self/environ')"],
      ['climb out', (folder: string) => `SELECT * FROM read_text('${folder}/../outside.txt')`],
      ['read a folder whose name begins like its own', (folder: string) => `FROM '${near(folder)}'`],
      ['list files elsewhere', () => `SELECT * FROM glob('${scratchDir}/*')`],
      ['write a file elsewhere', () => `COPY (SELECT 1) TO '${outside()}'`],
      ['attach a database elsewhere', () => `ATTACH '${scratchDir}/other.db'`],
      ['fetch from the network', () => "SELECT * FROM read_csv('http://127.0.0.1:9/a.csv')"],
      ['install an extension', () => 'INSTALL httpfs'],
      ['load a file as an extension', () => `LOAD '${outside()}'`],
      ['allow itself another folder', () => "SET allowed_directories = ['/']"],
      ['allow itself everything', () => 'SET enable_external_access = true'],
      ['move its temporary files', () => `SET temp_directory = '${scratchDir}'`],
      ['unlock itself', () => 'SET lock_configuration = false'],
      ['allow itself more settings', () => "SET allowed_configs = ['autoinstall_known_extensions']"],
      ['switch extensions on', () => 'SET autoinstall_known_extensions = true'],
    ])('to %s', async (_, statement) => {
      await writeFile(outside(), 'secret')
      const session = await open()
      const folder = path.dirname(session.scratchPath('x'))
      await writeFile(near(folder), 'secret')
      try {
        await expect(session.query(statement(folder))).rejects.toThrow(
          /disabled|locked|Cannot|not an extension|Permission/,
        )
        await session.fitTo(2_000)
        expect(await session.query('SELECT 1')).toEqual([[1]])
      } finally {
        await session.close()
        await rm(near(folder))
        await rm(outside())
      }
    })
  })

  it('spills to its folder when memory is short, also after others that did', async () => {
    const little = new DuckDbPool({ scratchDir, memoryLimitMiB: 64 })
    for (let work = 0; work < 2; work++) {
      const session = await openDuckDbSession({ pool: little, threads: 1 })
      const target = session.scratchPath('sorted.parquet')
      const rows = "SELECT repeat('x', 100) || n AS t FROM range(500000) AS r(n) ORDER BY hash(n), t"
      await session.query(`COPY (${rows}) TO '${target}' (FORMAT parquet)`)
      const [row] = await session.query(`SELECT count(*) FROM read_parquet('${target}')`)
      expect(row).toEqual([500000n])
      expect(await readdir(path.dirname(target))).toContain('spill')
      await session.close()
    }
  })

  it('is interrupted by its signal, with the reason, and the next one is not', async () => {
    const endless = 'SELECT count(*) FROM range(1000000000000) AS r(n) WHERE hash(n) % 3 = 0'
    const controller = new AbortController()
    const session = await open(controller.signal)
    const counting = session.runInOrder(endless)
    setTimeout(() => controller.abort(new Error('enough')), 50)
    await expect(counting).rejects.toThrow('enough')
    await expect(session.query('SELECT 1')).rejects.toThrow('enough')
    await session.close()
    const next = await open(new AbortController().signal)
    expect(await next.query('SELECT 1')).toEqual([[1]])
    await next.close()
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
    // Both connections are taken, and neither can be free again: no event has been handled since.
    for (let turn = 0; turn < 20; turn++) await Promise.resolve()
    await session.close()
    expect((await Promise.all(results)).sort()).toEqual([
      1,
      1,
      'Error: The session was closed before this statement could run.',
    ])
  })

  it.each([
    ['that went well', async () => {}],
    ['of which a statement failed', (one: DuckDbSession) => one.query('FROM nowhere').catch(() => {})],
    ['that spilled', async (one: DuckDbSession) => void (await mkdir(one.scratchPath('spill')))],
    ['that had a wide table', (one: DuckDbSession) => one.fitTo(5_000)],
  ])('has no table, no file, no row and no setting of work %s', async (_, also) => {
    const settings = "SELECT current_setting('threads'), current_setting('memory_limit')"
    const work = async (value: number) => {
      const session = await open()
      try {
        const before = await session.runInOrder(settings)
        const target = session.scratchPath('values.parquet')
        await session.query(`CREATE TABLE kept AS SELECT ${value} AS n`)
        await session.query('CREATE TEMP TABLE kept_too AS FROM range(100000)')
        await session.query(`COPY kept TO '${target}' (FORMAT parquet)`)
        const values = await session.query(`SELECT n FROM '${target}'`)
        const [[bytes] = []] = await session.query('SELECT sum(memory_usage_bytes) FROM duckdb_memory()')
        await also(session)
        return { before, values, bytes }
      } finally {
        await session.close()
      }
    }
    const first = await work(1)
    expect(await work(2)).toEqual({ ...first, values: [[2]] })
    expect(await work(3)).toEqual({ ...first, values: [[3]] })
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
