import { describe, expect, it } from 'vitest'
import { parseMetadata } from '#lib/iceberg/metadata/parse-metadata.ts'
import type { Cell } from '#lib/iceberg/values/bounds.ts'
import { readRows } from '#support/iceberg/read-rows.ts'
import { icebirdRows } from '#support/icebird-view.ts'
import { haveSharedTables, readShared } from './support/shared-tables.ts'

const ROOT = 's3://hyperparam-iceberg'

/** icebird gives dates as `Date`, decimals as numbers, and no value as `undefined` or null. */
const inFormOf = (cell: Cell, theirs: unknown): unknown => {
  if (cell === null) return theirs === undefined ? undefined : null
  if (theirs instanceof Date) return new Date(cell as string)
  return typeof theirs === 'number' ? Number(cell) : cell
}

const readTable = async (location: string, snapshotId?: bigint) =>
  readRows(readShared, parseMetadata(Buffer.from(await readShared(location)).toString('utf8')), snapshotId)

describe.skipIf(!haveSharedTables)('a table of another writer', () => {
  it.each([
    ['athena/example/metadata/00001-aaf0d033-d06b-43c7-be60-67f83abd4aca.metadata.json', 2],
    ['spark/rename_column/metadata/v3.metadata.json', 4],
    ['spark/bunnies/metadata/v3.metadata.json', 20],
    ['spark/bunnies/metadata/v4.metadata.json', 20],
    ['spark/bunnies/metadata/v5.metadata.json', 20],
    ['java/bunnies/metadata/v2.metadata.json', 21],
    ['java/bunnies/metadata/v3.metadata.json', 21],
    ['java/bunnies/metadata/v5.metadata.json', 15],
  ])('%s is read cell by cell as icebird reads it', async (file, rowsCount) => {
    const location = `${ROOT}/${file}`
    const theirs = await icebirdRows(readShared, location)
    const { columns, rows } = await readTable(location)
    expect(rows).toHaveLength(rowsCount)
    const ours = rows.map((row, index) =>
      Object.fromEntries(
        columns.map((name, column) => [name, inFormOf(row[column] ?? null, theirs[index]?.[name])]),
      ),
    )
    expect(ours).toEqual(theirs)
  })

  it('of before a snapshot is read by the id of the snapshot, with the columns of then', async () => {
    const location = `${ROOT}/java/bunnies/metadata/v5.metadata.json`
    const { columns, rows } = await readTable(location, 4951213507629824583n)
    expect(columns).toHaveLength(8)
    expect(rows).toHaveLength(21)
  })
})
