import type { ColumnStatistics, DataFile } from '#lib/iceberg/manifests/data-file.ts'
import { isPrimitive, type NestedField } from '#lib/iceberg/metadata/types.ts'
import { FILE_PATH_FIELD, type LiveFile } from '#lib/iceberg/read/live-files.ts'
import { IcebergRefusal } from '#lib/iceberg/refusal.ts'
import { parseValue, serializeValue } from '#lib/iceberg/values/bounds.ts'
import { type Snapshot, type TableField, type TableFile, TIMESTAMP_ID } from '#lib/table-engine/snapshot.ts'
import type { TableObjects } from './table-objects.ts'

type Places = Pick<TableObjects, 'keyOf' | 'locationOf'>
type Statistics = NonNullable<TableFile['statistics']>

/** The columns as Iceberg has them: those of the table, and when a load last changed the row. */
export const icebergFields = (fields: readonly TableField[]): NestedField[] => [
  ...fields.map(({ id, name, type }) => ({ id, name, required: false, type })),
  { id: TIMESTAMP_ID, name: '_timestamp', required: false, type: 'timestamptz' },
]

const boundOf = (field: NestedField | undefined, value: string | undefined): Uint8Array | undefined =>
  field && isPrimitive(field.type) && value !== undefined ? serializeValue(field.type, value) : undefined

const columnsOf = (file: TableFile, fields: readonly NestedField[]): Map<number, ColumnStatistics> => {
  // Every file with field ids counts its `_timestamp`: so a file without statistics is one of version 0.1.
  const columns = new Map<number, ColumnStatistics>(
    file.hasFieldIds ? [[TIMESTAMP_ID, { values: file.rows }]] : [],
  )
  for (const [key, { lower, upper, ...counts }] of Object.entries(file.statistics ?? {})) {
    const field = fields.find(({ id }) => id === Number(key))
    const lowerBound = boundOf(field, lower)
    const upperBound = boundOf(field, upper)
    columns.set(Number(key), {
      ...counts,
      ...(lowerBound && { lower: lowerBound }),
      ...(upperBound && { upper: upperBound }),
    })
  }
  return columns
}

const ofTable = { format: 'parquet', specId: 0, partition: new Map() }

/** The entries of a file in manifests: its rows, and its deletes if it has any. */
const entriesOf = (
  file: TableFile,
  fields: readonly NestedField[],
  { locationOf }: Places,
): { data: DataFile; deletes: DataFile | undefined } => {
  const path = locationOf(file.key)
  const { key, rows, bytes, deletes } = file
  const pathBound = serializeValue('string', path)
  return {
    data: {
      ...ofTable,
      content: 'data',
      path: locationOf(key),
      rows,
      bytes,
      columns: columnsOf(file, fields),
    },
    deletes: deletes && {
      ...ofTable,
      content: 'positionDeletes',
      path: locationOf(deletes.key),
      rows: deletes.rows,
      bytes: deletes.bytes,
      columns: new Map([
        [FILE_PATH_FIELD, { values: deletes.rows, nulls: 0, lower: pathBound, upper: pathBound }],
      ]),
      referencedDataFile: path,
    },
  }
}

const textOf = (field: NestedField | undefined, bound: Uint8Array | undefined): string | undefined =>
  field && isPrimitive(field.type) && bound ? String(parseValue(field.type, bound)) : undefined

const statisticsOf = (file: DataFile, fields: readonly NestedField[]): Statistics | undefined => {
  const statistics: Statistics = {}
  for (const [id, { bytes, values, nulls, ...bounds }] of file.columns) {
    if (bytes === undefined || values === undefined || nulls === undefined) continue
    const field = fields.find(candidate => candidate.id === id)
    const lower = textOf(field, bounds.lower)
    const upper = textOf(field, bounds.upper)
    statistics[id] = {
      bytes,
      values,
      nulls,
      ...(lower !== undefined && { lower }),
      ...(upper !== undefined && { upper }),
    }
  }
  return Object.keys(statistics).length > 0 ? statistics : undefined
}

/** Whether deletes can apply to this file only. */
const isOwn = (deletes: DataFile, path: string): boolean => {
  const { lower, upper } = deletes.columns.get(FILE_PATH_FIELD) ?? {}
  const whole = Buffer.from(path)
  return (
    deletes.referencedDataFile === path ||
    Boolean(lower && upper && whole.equals(lower) && whole.equals(upper))
  )
}

/** The files of rows as the engine has them. What it cannot hold is refused by a sentence. */
export const tableFileOf = (
  { file, positionDeletes, equalityDeletes }: LiveFile,
  fields: readonly NestedField[],
  { keyOf }: Places,
): TableFile => {
  const [deletes, ...more] = positionDeletes
  if (equalityDeletes.length > 0)
    throw new IcebergRefusal(`The rows of ${file.path} are deleted by equality, which other writers do.`)
  if (more.length > 0 || (deletes && !isOwn(deletes, file.path)))
    throw new IcebergRefusal(`The deletes of ${file.path} are not in one file of their own.`)
  const statistics = statisticsOf(file, fields)
  return {
    key: keyOf(file.path),
    rows: file.rows,
    bytes: file.bytes,
    ...(statistics && { statistics }),
    hasFieldIds: file.columns.size > 0,
    ...(deletes && { deletes: { key: keyOf(deletes.path), rows: deletes.rows, bytes: deletes.bytes } }),
  }
}

/** What has changed between the files of the last commit and those of a snapshot. */
export const filesChange = (
  before: readonly LiveFile[],
  snapshot: Snapshot,
  places: Places,
): { added: DataFile[]; removedData: Set<string>; removedDeletes: Set<string> } => {
  const fields = icebergFields(snapshot.fields)
  const entries = snapshot.files.map(file => entriesOf(file, fields, places))
  const kept = entries.flatMap(({ data, deletes }) => (deletes ? [data, deletes] : [data]))
  const dataBefore = new Set(before.map(({ file }) => file.path))
  const deletesBefore = new Set(
    before.flatMap(({ positionDeletes, equalityDeletes }) =>
      [...positionDeletes, ...equalityDeletes].map(({ path }) => path),
    ),
  )
  const paths = new Set(kept.map(({ path }) => path))
  return {
    added: kept.filter(({ path }) => !dataBefore.has(path) && !deletesBefore.has(path)),
    removedData: dataBefore.difference(paths),
    removedDeletes: deletesBefore.difference(paths),
  }
}
