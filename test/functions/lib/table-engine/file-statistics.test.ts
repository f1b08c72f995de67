import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { parquetMetadata } from 'hyparquet'
import { describe, expect, it } from 'vitest'
import { DIGEST_ID } from '#lib/table-engine/rows/row-digest.ts'
import { untilEnd } from '#support/until-end.ts'
import { createTableFixture } from './support/table-fixture.ts'

const tables = await untilEnd(createTableFixture())

const loadedAt = new Date('2026-07-16T12:00:00.500Z')

describe('a file of a table', () => {
  it.each([
    [['id'], [2, 3, 1, DIGEST_ID]],
    [[], [2, 3, 1]],
  ])('has field ids (with the key %j)', async (primaryKey, ids) => {
    const { snapshot } = await tables.load('id,filename\n1,a\n', { primaryKey })
    const file = await readFile(path.join(tables.folder, 'tables', snapshot.files[0]?.key ?? ''))
    expect(parquetMetadata(file).schema.flatMap(({ field_id }) => field_id ?? [])).toEqual(ids)
  })

  it('has its digest under an id that Iceberg reserves: ClickHouse reads no file with another one of its own', () => {
    expect(DIGEST_ID).toBeGreaterThan(2147483447)
  })

  it('has no unsigned column, in which Spark reads no rows', async () => {
    const { snapshot } = await tables.load('id\n1\n', { primaryKey: ['id'] })
    const file = await readFile(path.join(tables.folder, 'tables', snapshot.files[0]?.key ?? ''))
    const types = parquetMetadata(file).schema.map(({ converted_type }) => converted_type)
    expect(types).toEqual([undefined, 'UTF8', 'TIMESTAMP_MICROS', 'INT_32'])
  })

  it('is listed with the sizes, counts and bounds of its columns', async () => {
    const long = 'x'.repeat(20)
    const { snapshot } = await tables.load(`a,b,c\n"",\ufeffz,${long}\nž,\ufeffa,${long}y\n`, { loadedAt })
    const time = '2026-07-16T12:00:00.500000Z'
    const bytes = expect.any(Number)
    expect(snapshot.files[0]?.statistics).toEqual({
      1: { bytes, values: 2, nulls: 0, lower: time, upper: time },
      2: { bytes, values: 2, nulls: 0, lower: '', upper: 'ž' },
      3: { bytes, values: 2, nulls: 0, lower: '\ufeffa', upper: '\ufeffz' },
      4: { bytes, values: 2, nulls: 0, lower: long.slice(0, 16), upper: `${long.slice(0, 15)}y` },
    })
  })

  it('has no bounds where they are unknown', async () => {
    const last = '\u{10ffff}'.repeat(17)
    const { snapshot } = await tables.load(`a\n${last}\n`)
    const statistics = snapshot.files[0]?.statistics?.[2]
    expect(statistics).toMatchObject({ lower: '\u{10ffff}'.repeat(16) })
    expect(statistics).not.toHaveProperty('upper')
    expect(await tables.rows(snapshot)).toEqual([[last]])
  })
})
