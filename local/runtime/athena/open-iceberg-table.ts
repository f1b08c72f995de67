import { createWriteStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { GetObjectCommand, type S3Client } from '@aws-sdk/client-s3'
import { z } from 'zod'
import type { DataFile } from '#lib/iceberg/manifests/data-file.ts'
import { currentSchema } from '#lib/iceberg/metadata/parse-metadata.ts'
import type { TableMetadata } from '#lib/iceberg/metadata/table-metadata.ts'
import { isPrimitive, type NestedField } from '#lib/iceberg/metadata/types.ts'
import type { ObjectReader } from '#lib/iceberg/object-reader.ts'
import { type LiveFile, readLiveFiles } from '#lib/iceberg/read/live-files.ts'
import { IcebergRefusal } from '#lib/iceberg/refusal.ts'
import type { DuckDbSession } from '#lib/table-engine/duckdb/duckdb-session.ts'
import { quoteIdentifier, quoteLiteral } from '#lib/table-engine/duckdb/sql.ts'

interface SourceTable {
  session: DuckDbSession
  s3: S3Client
  read: ObjectReader
  metadata: TableMetadata
  /** What the view of the live rows is called, with its schema. */
  view: string
  /** Names files of the session. */
  prefix: string
}

const duckDbType = ({ type }: NestedField): string => {
  if (!isPrimitive(type)) throw new Error(`Columns of the type ${type.type} are not read here`)
  const names: Record<string, string> = {
    string: 'VARCHAR',
    long: 'BIGINT',
    int: 'INTEGER',
    timestamptz: 'TIMESTAMPTZ',
    binary: 'BLOB',
  }
  return names[type] ?? type.toUpperCase()
}

/**
 * The live rows of an Iceberg table as a view of DuckDB: its columns in lower case, as Athena sees them, `$file` (number
 * of the file in the result) and `$pos`. A column that a file lacks is null.
 */
export const openIcebergTable = async (source: SourceTable): Promise<LiveFile[]> => {
  const { session, read, metadata, view, prefix } = source
  const live = await readLiveFiles(read, metadata)
  const { fields } = currentSchema(metadata)
  const parts: string[] = []
  const deletes: string[] = []
  for (const [index, { file, positionDeletes, equalityDeletes }] of live.entries()) {
    if (equalityDeletes.length > 0) throw new Error(`The deletes of ${file.path} are not read here`)
    parts.push(await fileRows(source, { file, index, fields }))
    for (const [number, deleted] of positionDeletes.entries()) {
      const path = session.scratchPath(`${prefix}-${index}-deletes-${number}.parquet`)
      await download(source.s3, deleted, path)
      deletes.push(
        `SELECT ${index} AS "$file", pos AS "$pos" FROM read_parquet(${quoteLiteral(path)}) WHERE file_path = ${quoteLiteral(file.path)}`,
      )
    }
  }
  const empty = `SELECT ${fields.map(field => `NULL::${duckDbType(field)} AS ${sqlName(field)}`).join(', ')}, 0 AS "$file", 0::BIGINT AS "$pos" WHERE false`
  const rows = [empty, ...parts].join(' UNION ALL ')
  const left =
    deletes.length === 0
      ? rows
      : `SELECT * FROM (${rows}) ANTI JOIN (${deletes.join(' UNION ALL ')}) USING ("$file", "$pos")`
  await session.query(`CREATE VIEW ${view} AS ${left}`)
  return live
}

const sqlName = ({ name }: NestedField): string => quoteIdentifier(name.toLowerCase())

const fileRows = async (
  { session, s3, metadata, prefix }: SourceTable,
  { file, index, fields }: { file: DataFile; index: number; fields: NestedField[] },
): Promise<string> => {
  const path = session.scratchPath(`${prefix}-${index}.parquet`)
  await download(s3, file, path)
  const stored = await session.query(
    `SELECT name, field_id FROM parquet_schema(${quoteLiteral(path)}) WHERE num_children IS NULL`,
  )
  const hasIds = stored.some(([, id]) => id !== null)
  const mapping = readNameMapping(metadata.properties)
  const byId = new Map(
    stored.map(([name, id]) => [hasIds ? Number(id) : (mapping.get(String(name)) ?? -1), String(name)]),
  )
  const values = fields.map(field => {
    const name = byId.get(field.id)
    const type = duckDbType(field)
    const column = name === undefined ? `NULL::${type}` : quoteIdentifier(name)
    const isTime = name !== undefined && type === 'TIMESTAMPTZ'
    // An older file of a column may have fewer digits than the column has today.
    const value = isTime ? `make_timestamptz(epoch_us(${column}))` : `CAST(${column} AS ${type})`
    return `${value} AS ${sqlName(field)}`
  })
  return `SELECT ${values.join(', ')}, ${index} AS "$file", file_row_number AS "$pos" FROM read_parquet(${quoteLiteral(path)}, file_row_number = true)`
}

const download = async (s3: S3Client, { path }: DataFile, to: string): Promise<void> => {
  const [, Bucket, Key] = /^s3a?:\/\/([^/]+)\/(.+)$/.exec(path) ?? []
  const { Body } = await s3.send(new GetObjectCommand({ Bucket, Key }))
  if (!Body) throw new Error(`The object ${path} has no body`)
  await pipeline(Body.transformToWebStream(), createWriteStream(to))
}

/** Property of a table: which names the columns have in files without field ids (specification, "Column Projection"). */
export const NAME_MAPPING_PROPERTY = 'schema.name-mapping.default'

const nameMapping = z.array(z.looseObject({ 'field-id': z.int().optional(), names: z.array(z.string()) }))

/** Field id by the name of a column in a file without field ids. Empty when the table has no name mapping. */
export const readNameMapping = (properties: Readonly<Record<string, string>>): Map<string, number> => {
  const text = properties[NAME_MAPPING_PROPERTY]
  const ids = new Map<string, number>()
  if (text === undefined) return ids
  for (const entry of parseMapping(text)) {
    const id = entry['field-id']
    if (id !== undefined) for (const name of entry.names) ids.set(name, id)
  }
  return ids
}

const parseMapping = (text: string): z.infer<typeof nameMapping> => {
  try {
    return nameMapping.parse(JSON.parse(text))
  } catch (cause) {
    throw new IcebergRefusal(`The property ${NAME_MAPPING_PROPERTY} of the table cannot be read.`, { cause })
  }
}
