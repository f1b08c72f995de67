import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { zstdDecompressSync } from 'node:zlib'
import { parquetMetadata, parquetReadObjects } from 'hyparquet'
import { describe, expect, it } from 'vitest'
import { liveRows, type Snapshot } from '#lib/table-engine/files/snapshot.ts'
import { untilEnd } from '#support/until-end.ts'
import { createTableFixture } from './support/table-fixture.ts'

const tables = await untilEnd(createTableFixture({ smallFileBytes: 1 }))

const primaryKey = ['id']
/** Rows in the reverse order of the key. */
const hundred = (text = ''): string =>
  ['id,text', ...Array.from({ length: 100 }, (_, index) => `${199 - index},${text}`), ''].join('\n')

const update = (current: Snapshot, ids: number[], keyPrefix = 'tables/1/update/') =>
  tables.load(['id,text', ...ids.map(id => `${id},new`), ''].join('\n'), {
    current,
    incremental: true,
    keyPrefix,
    loadedAt: new Date('2025-01-01'),
  })

const readDeletes = async (key = ''): Promise<Record<string, unknown>[]> => {
  const bytes = await readFile(path.join(tables.folder, 'tables', key))
  expect(parquetMetadata(bytes).schema.flatMap(({ field_id }) => field_id ?? [])).toEqual([
    2147483546, 2147483545,
  ])
  const file = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength)
  return parquetReadObjects({ file, compressors: { ZSTD: input => zstdDecompressSync(input) } })
}

describe('rows of a file that are replaced', () => {
  it('are listed by position in one file, which a later change replaces with all positions', async () => {
    const { snapshot: table } = await tables.load(hundred(), { primaryKey })
    const file_path = `s3://tables/${table.files[0]?.key}`
    const once = await update(table, [197])
    const [first] = once.snapshot.files
    expect(first).toEqual({
      ...table.files[0],
      deletes: { key: expect.any(String), rows: 1, bytes: expect.any(Number) },
    })
    expect(await readDeletes(first?.deletes?.key)).toEqual([{ file_path, pos: 2n }])

    const twice = await update(once.snapshot, [150, 199], 'tables/1/later/')
    const [second] = twice.snapshot.files
    expect(await readDeletes(second?.deletes?.key)).toEqual([0n, 2n, 49n].map(pos => ({ file_path, pos })))
    expect(twice.snapshot.rowsCount).toBe(100)
    expect(twice.snapshot.dataSizeBytes).toBe(
      twice.snapshot.files.reduce((sum, { bytes, deletes }) => sum + bytes + (deletes?.bytes ?? 0), 0),
    )
  })

  it('leave with the rest rewritten in the order of the key, when they are a tenth of the file', async () => {
    const { snapshot: table } = await tables.load(hundred(), { primaryKey })
    const { snapshot } = await update(table, [101, 102, 103, 104, 105, 106, 107, 108, 109, 110])
    const [rewritten] = snapshot.files
    expect(rewritten).toMatchObject({ rows: 90 })
    expect(rewritten?.deletes).toBeUndefined()
    const ids = (await tables.rows({ ...snapshot, files: snapshot.files.slice(0, 1) })).map(([id]) => id)
    expect(ids).toEqual(['100', ...Array.from({ length: 89 }, (_, index) => String(111 + index))])
  })

  it('take the file with them, when they are all', async () => {
    const { snapshot: table } = await tables.load(hundred(), { primaryKey })
    const { snapshot } = await update(
      table,
      Array.from({ length: 100 }, (_, index) => 100 + index),
    )
    expect(snapshot.files.map(({ key }) => key)).toEqual(['tables/1/update/part-00001.parquet'])
  })

  it('are the same objects when the load is repeated', async () => {
    const { snapshot: table } = await tables.load(hundred(), { primaryKey })
    const changed = (await update(table, [150])).snapshot
    expect((await update(table, [150])).snapshot).toEqual(changed)
  })

  it('are not found again by their key', async () => {
    const { snapshot: table } = await tables.load(hundred(), { primaryKey })
    const where = [{ column: 'id', operator: 'eq' as const, values: ['150'] }]
    const gone = await tables.engine.deleteRows({ snapshot: table, keyPrefix: 'tables/1/gone/', where })
    expect(gone.snapshot.files.map(liveRows)).toEqual([99])
    const { snapshot } = await update(gone.snapshot, [150])
    expect(snapshot.rowsCount).toBe(100)
    expect((await tables.engine.preview(snapshot, { limit: 9, where })).rows).toEqual([['150', 'new']])
  })

  it('are no duplicates of the new ones', async () => {
    const { snapshot: table } = await tables.load(hundred(), { primaryKey })
    const { snapshot } = await update(table, [150])
    expect(await tables.engine.hasDuplicates(snapshot, ['id'])).toBe(false)
  })
})
