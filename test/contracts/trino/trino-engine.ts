import type { S3Client } from '@aws-sdk/client-s3'
import type { TableName } from '#local/runtime/athena/parse-statement.ts'
import type { RunStatement } from '#local/runtime/athena/run-statement.ts'
import type { GlueTables } from '#local/runtime/glue/operations.ts'
import { queryTrino, type TrinoResult } from './trino-client.ts'

/** Athena's word for Trino's (Amazon Athena User Guide, "OPTIMIZE"). All other statements are the same. */
const inTrino = (text: string): string =>
  text.replace(/^OPTIMIZE (.+) REWRITE DATA USING BIN_PACK$/, 'ALTER TABLE $1 EXECUTE optimize')

const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`

/**
 * Does the statements of the one-machine Athena on a real Trino: the tables that a statement names are registered there from
 * where Glue's pointers are, and the pointer of its table moves to what Trino has committed.
 */
export const createTrinoEngine = (url: string): RunStatement => {
  /** A catalog for each S3 of a test. */
  const catalogs = new Map<string, Promise<string>>()
  const query = (text: string, catalog?: string): Promise<TrinoResult> => queryTrino(url, text, catalog)
  const catalogOf = (s3: S3Client, endpoint: string): Promise<string> => {
    const known = catalogs.get(endpoint) ?? createCatalog(query, s3, endpoint)
    catalogs.set(endpoint, known)
    return known
  }
  return async ({ text, target, reads }, { s3, tables, onScan }) => {
    const { protocol = '', hostname = '', port } = (await s3.config.endpoint?.()) ?? {}
    const catalog = await catalogOf(s3, `${protocol}//${hostname}:${port}`)
    for (const table of reads) await register(table, tables, { catalog, query })
    onScan(0)
    const { updated } = await query(inTrino(text), catalog)
    const log = `${target.database}."${target.name}$metadata_log_entries"`
    const { rows } = await query(
      `SELECT file FROM ${log} ORDER BY timestamp DESC, file DESC LIMIT 1`,
      catalog,
    )
    for (const { database, name } of reads)
      await query(`CALL system.unregister_table(${quoted(database)}, ${quoted(name)})`, catalog)
    const { input, versionId } = tables.get(target.database, target.name)
    const base = input.Parameters['metadata_location'] ?? ''
    const location = String(rows[0]?.[0])
    if (location === base) return 0
    const Parameters = { ...input.Parameters, previous_metadata_location: base, metadata_location: location }
    await tables.update(target.database, { ...input, Parameters }, String(versionId))
    return updated
  }
}

interface Session {
  catalog: string
  query: (text: string, catalog?: string) => Promise<TrinoResult>
}

const register = async (
  { database, name }: TableName,
  tables: GlueTables,
  { catalog, query }: Session,
): Promise<void> => {
  const { Parameters, StorageDescriptor } = tables.get(database, name).input
  const file = Parameters['metadata_location']?.split('/').at(-1) ?? ''
  await query(`CREATE SCHEMA IF NOT EXISTS ${database}`, catalog)
  const given = [database, name, StorageDescriptor.Location, file].map(quoted).join(', ')
  await query(`CALL system.register_table(${given})`, catalog)
}

let created = 0

/** Iceberg tables on one S3, with the pointers in files: Glue itself cannot be had. */
const createCatalog = async (query: Session['query'], s3: S3Client, endpoint: string): Promise<string> => {
  const { accessKeyId, secretAccessKey } = await s3.config.credentials()
  const name = `s3_${process.pid}_${++created}`
  const properties = {
    'iceberg.catalog.type': 'TESTING_FILE_METASTORE',
    'iceberg.register-table-procedure.enabled': 'true',
    'hive.metastore.catalog.dir': `local:///${name}`,
    'hive.metastore.disable-location-checks': 'true',
    'fs.native-local.enabled': 'true',
    'local.location': '/tmp',
    'fs.native-s3.enabled': 'true',
    's3.endpoint': endpoint,
    's3.region': await s3.config.region(),
    's3.path-style-access': 'true',
    's3.aws-access-key': accessKeyId,
    's3.aws-secret-key': secretAccessKey,
  }
  const given = Object.entries(properties).map(([key, value]) => `"${key}" = ${quoted(value)}`)
  await query(`CREATE CATALOG ${name} USING iceberg WITH (${given.join(', ')})`)
  return name
}
