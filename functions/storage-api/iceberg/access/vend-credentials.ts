import { UserError } from '#lib/errors/errors.ts'
import { parseMetadata } from '#lib/iceberg/metadata/parse-metadata.ts'
import type { TableMetadata } from '#lib/iceberg/metadata/table-metadata.ts'
import type { ObjectReader } from '#lib/iceberg/object-reader.ts'
import { readLiveEntries } from '#lib/iceberg/read/read-manifests.ts'
import { NONE } from '#lib/none.ts'
import { defaultBranchId } from '#lib/storage/db/branch-id.ts'
import type { TableHead } from '#lib/storage/tables/table-record.ts'
import { tableIdOf } from '#lib/storage/tables/table-store.ts'
import { recordAudit } from '../../http/record-event.ts'
import type { Caller, Services } from '../../services/services.ts'
import type { CatalogRequest } from '../catalog-operation.ts'
import { branchOf } from '../names/names.ts'

/** Where the objects of a table lie, as prefixes of keys that end with a slash. */
interface TableFolders {
  own: string
  /** Folders of other tables' jobs, in which files lie that the table shares: it is a copy, or was restored. */
  shared: string[]
}

/**
 * The folders of a table. Only folders of single jobs are shared: what another job wrote into that other table is none
 * of this table's.
 *
 * A table gets files of others when it is made, and never again. So what its oldest snapshot does not name, none does, and
 * two snapshots are enough to know the folders of all.
 */
const foldersOf = async (
  metadata: TableMetadata,
  { read, keyOf }: { read: ObjectReader; keyOf: (location: string) => string },
): Promise<TableFolders> => {
  const own = `${keyOf(metadata.location)}/`
  const { snapshots } = metadata
  const ends = new Set([...snapshots.slice(0, 1), ...snapshots.slice(-1)])
  const entries = await Promise.all([...ends].map(snapshot => readLiveEntries(read, snapshot)))
  const keys = entries.flat().map(({ file }) => keyOf(file.path))
  const shared = keys.filter(key => !key.startsWith(own)).map(key => key.slice(0, key.lastIndexOf('/') + 1))
  return { own, shared: [...new Set(shared)].toSorted() }
}

/** One entry of `storage-credentials`. */
export interface StorageCredential {
  prefix: string
  config: Record<string, string>
}

/**
 * Credentials that read the objects of one table and nothing else, for an hour. Each is an event of the table. The caller's
 * right to read the table has been checked.
 *
 * There is one entry of S3 for all folders: the Java client takes no more. Error: 400 `iceberg.tooManyFolders`.
 */
export const vendCredentials = async (
  { caller, params, raw }: Pick<CatalogRequest, 'caller' | 'params' | 'raw'>,
  services: Services,
  { table, text }: { table: TableHead; text: string },
): Promise<StorageCredential> => {
  const { tableAccess } = services
  const tableId = tableIdOf(table)
  const folders = await foldersOf(parseMetadata(text), tableAccess)
  const policies = policiesFor(caller, folders, tableAccess)
  const credentials = await tableAccess.credentials(`table-${table.internalId}`, policies)
  if (!credentials)
    throw new UserError(
      'iceberg.tooManyFolders',
      `The table "${tableId}" shares files of ${folders.shared.length} loads with other tables, more than temporary ` +
        'credentials can name. Load its rows anew: export it and import the file without `incremental`.',
    )
  const { namespace = '', table: identifier = '' } = params
  const sender = { caller, raw, runId: null, branchId: branchOf(params['namespace']) ?? defaultBranchId }
  await recordAudit(sender, services, 'tableCredentialsCreated', { id: tableId, name: table.name })
  return {
    prefix: tableAccess.locationOf(folders.shared.length > 0 ? '' : folders.own),
    config: {
      ...credentials,
      // Relative to the address of the catalog, as Java clients read it.
      'client.refresh-credentials-endpoint': `v1/namespaces/${encodeURIComponent(namespace)}/tables/${encodeURIComponent(identifier)}/credentials`,
    },
  }
}

/** Who may read every bucket may read the other tables anyway. */
const policiesFor = (caller: Caller, folders: TableFolders, place: Services['tableAccess']): string[] =>
  [folders, ...(caller.canManageBuckets ? [wholeTables(folders)] : [])].map(each =>
    sessionPolicy(place, each),
  )

/**
 * The policy of a session that reads the objects in these folders, and lists those of the table's own. 25 of them fit.
 *
 * The objects name no bucket, which doubles the number of folders that fit: the role itself reads one bucket only.
 */
export const sessionPolicy = (
  { partition, bucket, dataKeyArn }: { partition: string; bucket: string; dataKeyArn: string },
  { own, shared }: TableFolders,
): string =>
  JSON.stringify({
    Version: '2012-10-17',
    Statement: [
      {
        Effect: 'Allow',
        Action: 's3:GetObject',
        Resource: [own, ...shared].map(folder => `arn:${partition}:s3:::*/${folder}*`),
      },
      {
        Effect: 'Allow',
        Action: 's3:ListBucket',
        Resource: `arn:${partition}:s3:::${bucket}`,
        Condition: { StringLike: { 's3:prefix': `${own}*` } },
      },
      ...(dataKeyArn === NONE ? [] : [{ Effect: 'Allow', Action: 'kms:Decrypt', Resource: dataKeyArn }]),
    ],
  })

/** The same with whole tables in place of their jobs: `tables/12/345/` is in `tables/12/`. */
export const wholeTables = ({ own, shared }: TableFolders): TableFolders => ({
  own,
  shared: [...new Set(shared.map(folder => folder.replace(/[^/]+\/$/, '')))],
})
