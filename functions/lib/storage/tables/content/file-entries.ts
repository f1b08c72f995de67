import type { ColumnStatistics, DataFile } from '#lib/iceberg/manifests/data-file.ts'
import type { NestedField } from '#lib/iceberg/metadata/types.ts'
import { FILE_PATH_FIELD, type LiveFile, POSITION_FIELD } from '#lib/iceberg/read/live-files.ts'
import { parseValue, serializeValue } from '#lib/iceberg/values/bounds.ts'
import {
  type Snapshot,
  type TableField,
  type TableFile,
  TIMESTAMP_ID,
  undeclaredField,
} from '#lib/table-engine/files/snapshot.ts'
import type { TableObjects } from './table-objects.ts'

type Places = Pick<TableObjects, 'keyOf' | 'locationOf'>
type Statistics = NonNullable<TableFile['statistics']>

/** Columns by field id: a wide table has a thousand, in each of its files. */
type FieldsById = ReadonlyMap<number, NestedField>

/** The first field of an id counts. */
export const fieldsById = (fields: readonly NestedField[]): FieldsById =>
  new Map(fields.toReversed().map(field => [field.id, field]))

/** The columns as Iceberg has them: those of the table, and when a load last changed the row. */
export const icebergFields = (fields: readonly TableField[]): NestedField[] => [
  ...fields.map(({ id, name, type }) => ({ id, name, required: false, type })),
  { id: TIMESTAMP_ID, name: '_timestamp', required: false, type: 'timestamptz' },
]

/**
 * The columns of a schema that the table has had, with the rules that they have today. One that is gone holds what its
 * type allows.
 */
export const tableFields = (
  schema: readonly NestedField[],
  table: Pick<Snapshot, 'fields'>,
): TableField[] => {
  const today = new Map(table.fields.map(field => [field.id, field]))
  return schema
    .filter(({ id }) => id !== TIMESTAMP_ID)
    .map(({ id, name, type }) => {
      const { rules } = today.get(id) ?? undeclaredField(table, name)
      return { id, name, type, ...(rules && { rules }) }
    })
}

const boundOf = (field: NestedField | undefined, value: string | undefined): Uint8Array | undefined => {
  if (!field || value === undefined) return undefined
  return serializeValue(field.type, value)
}

const columnsOf = (file: TableFile, fields: FieldsById): Map<number, ColumnStatistics> => {
  const columns = new Map<number, ColumnStatistics>([[TIMESTAMP_ID, { values: file.rows }]])
  for (const [key, { lower, upper, ...counts }] of Object.entries(file.statistics ?? {})) {
    const field = fields.get(Number(key))
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

/** The entry of a file of rows in a manifest. */
const dataEntry = (file: TableFile, fields: FieldsById, { locationOf }: Places): DataFile => ({
  content: 'data',
  path: locationOf(file.key),
  rows: file.rows,
  bytes: file.bytes,
  columns: columnsOf(file, fields),
})

/** The entry of the deletes of a file of rows. */
const deletesEntry = (
  deletes: NonNullable<TableFile['deletes']>,
  { key, rows }: TableFile,
  { locationOf }: Places,
): DataFile => {
  const dataPath = locationOf(key)
  const pathBound = serializeValue('string', dataPath)
  return {
    content: 'positionDeletes',
    path: locationOf(deletes.key),
    rows: deletes.rows,
    bytes: deletes.bytes,
    columns: new Map([
      [FILE_PATH_FIELD, { values: deletes.rows, nulls: 0, lower: pathBound, upper: pathBound }],
      // Trino's `$entries` fails without bounds; they need not be the closest ones.
      [
        POSITION_FIELD,
        {
          values: deletes.rows,
          nulls: 0,
          lower: serializeValue('long', '0'),
          upper: serializeValue('long', String(rows - 1)),
        },
      ],
    ]),
    referencedDataFile: dataPath,
  }
}

const textOf = (field: NestedField | undefined, bound: Uint8Array | undefined): string | undefined =>
  field && bound && parseValue(field.type, bound)

const statisticsOf = (file: DataFile, fields: FieldsById): Statistics | undefined => {
  const statistics: Statistics = {}
  for (const [id, { bytes, values, nulls, nans, ...bounds }] of file.columns) {
    if (bytes === undefined || values === undefined || nulls === undefined) continue
    const field = fields.get(id)
    const lower = textOf(field, bounds.lower)
    const upper = textOf(field, bounds.upper)
    statistics[id] = {
      bytes,
      values,
      nulls,
      ...(nans !== undefined && { nans }),
      ...(lower !== undefined && { lower }),
      ...(upper !== undefined && { upper }),
    }
  }
  return Object.keys(statistics).length > 0 ? statistics : undefined
}

/** The files of rows as the engine has them. */
export const tableFileOf = (
  { file, deletes }: LiveFile,
  fields: FieldsById,
  { keyOf }: Places,
): TableFile => {
  const statistics = statisticsOf(file, fields)
  return {
    key: keyOf(file.path),
    rows: file.rows,
    bytes: file.bytes,
    ...(statistics && { statistics }),
    ...(deletes && { deletes: { key: keyOf(deletes.path), rows: deletes.rows, bytes: deletes.bytes } }),
  }
}

/** Paths of the files that a table has. */
interface FilePaths {
  data: ReadonlySet<string>
  deletes: ReadonlySet<string>
}

export const livePaths = (live: readonly LiveFile[]): FilePaths => ({
  data: new Set(live.map(({ file }) => file.path)),
  deletes: new Set(live.flatMap(({ deletes }) => deletes?.path ?? [])),
})

export const tablePaths = (files: readonly TableFile[], { locationOf }: Places): FilePaths => ({
  data: new Set(files.map(({ key }) => locationOf(key))),
  deletes: new Set(files.flatMap(({ deletes }) => (deletes ? [locationOf(deletes.key)] : []))),
})

/** What has changed between the files before and those of a table's snapshot. */
export const filesChange = (
  before: FilePaths,
  snapshot: Pick<Snapshot, 'fields' | 'files'>,
  places: Places,
): { added: DataFile[]; removedData: Set<string>; removedDeletes: Set<string> } => {
  const fields = fieldsById(icebergFields(snapshot.fields))
  const after = tablePaths(snapshot.files, places)
  const isNew = ({ key }: { key: string }): boolean => {
    const path = places.locationOf(key)
    return !before.data.has(path) && !before.deletes.has(path)
  }
  return {
    // Only what is new is written out: a table may have thousands of files, and a load adds a few.
    added: snapshot.files.flatMap(file => [
      ...(isNew(file) ? [dataEntry(file, fields, places)] : []),
      ...(file.deletes && isNew(file.deletes) ? [deletesEntry(file.deletes, file, places)] : []),
    ]),
    removedData: new Set(before.data).difference(after.data),
    removedDeletes: new Set(before.deletes).difference(after.deletes),
  }
}
