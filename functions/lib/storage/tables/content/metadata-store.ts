import type { S3Client } from '@aws-sdk/client-s3'
import { LRUCache } from 'lru-cache'
import { type CommitRequest, planCommit } from '#lib/iceberg/commit/plan-commit.ts'
import { parseMetadata } from '#lib/iceberg/metadata/parse-metadata.ts'
import type { TableMetadata } from '#lib/iceberg/metadata/table-metadata.ts'
import { readLiveFiles } from '#lib/iceberg/read/live-files.ts'
import type { TableFile } from '#lib/table-engine/files/snapshot.ts'
import { fieldsById, tableFileOf } from './file-entries.ts'
import { createTableObjects } from './table-objects.ts'

const DAY_MS = 86_400_000

/** Each metadata file lists all snapshots, and every commit writes one. */
const MOST_SNAPSHOTS = 500

/** Tables of one container whose metadata stays in memory: up to some hundred KB each. */
const PARSED_METADATA = 10

export interface TableContentsOptions {
  s3: S3Client
  tablesBucket: string
  /** How long the snapshots before the current one stay readable. */
  snapshotRetentionDays: number
}

/** Reads and writes the Iceberg metadata of tables. Nothing here is ever overwritten. */
export const createMetadataStore = ({ s3, tablesBucket, snapshotRetentionDays }: TableContentsOptions) => {
  const objects = createTableObjects(s3, tablesBucket)
  const { read, keyOf, locationOf } = objects

  // A change of a table needs the same metadata twice: to read the table, and to commit on top of it.
  const parsed = new LRUCache<string, TableMetadata>({ max: PARSED_METADATA })

  const load = async (metadataKey: string): Promise<TableMetadata> => {
    const known = parsed.get(metadataKey)
    if (known) return known
    const metadata = parseMetadata(Buffer.from(await read(locationOf(metadataKey))).toString('utf8'))
    parsed.set(metadataKey, metadata)
    return metadata
  }

  const expireAt = (timeMs: number) => ({
    beforeMs: timeMs - snapshotRetentionDays * DAY_MS,
    keepAtMost: MOST_SNAPSHOTS,
  })

  const commit = async ({
    expire,
    ...request
  }: Omit<CommitRequest, 'read' | 'expire'> & Partial<Pick<CommitRequest, 'expire'>>): Promise<string> => {
    const plan = await planCommit({ ...request, read, expire: expire ?? expireAt(request.timeMs) })
    await objects.write(plan.objects)
    return keyOf(plan.location)
  }

  const filesOf = async (metadata: TableMetadata, snapshotId?: bigint): Promise<TableFile[]> => {
    const fields = fieldsById(metadata.schemas.flatMap(schema => schema.fields))
    const live = await readLiveFiles(read, metadata, snapshotId)
    return live.map(file => tableFileOf(file, fields, objects))
  }

  return { objects, load, commit, filesOf, expireAt }
}

export type MetadataStore = ReturnType<typeof createMetadataStore>
