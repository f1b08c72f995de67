import { z } from 'zod'
import { IcebergRefusal } from '../refusal.ts'
import { loadAvro } from './manifest.ts'
import { manifestFieldName, manifestFileSchema } from './manifest-schema.ts'

const count = z.union([z.bigint(), z.int()]).nullish()

const listRecord = z
  .object({
    manifest_path: z.string(),
    manifest_length: z.bigint().transform(Number),
    partition_spec_id: z.int(),
    content: z.int().min(0).max(1).default(0),
    sequence_number: z.bigint().default(0n).transform(Number),
    min_sequence_number: z.bigint().default(0n).transform(Number),
    added_snapshot_id: z.bigint().nullish(),
    added_files_count: count,
    existing_files_count: count,
    deleted_files_count: count,
    added_rows_count: count,
    existing_rows_count: count,
    deleted_rows_count: count,
    key_metadata: z.instanceof(Uint8Array).nullish(),
  })
  .transform(record => ({
    path: record.manifest_path,
    bytes: record.manifest_length,
    specId: record.partition_spec_id,
    content: record.content === 0 ? ('data' as const) : ('deletes' as const),
    sequenceNumber: record.sequence_number,
    minSequenceNumber: record.min_sequence_number,
    addedSnapshotId: record.added_snapshot_id ?? 0n,
    /** `undefined`: version 1 may leave counts out. */
    added: counts(record.added_files_count, record.added_rows_count),
    existing: counts(record.existing_files_count, record.existing_rows_count),
    deleted: counts(record.deleted_files_count, record.deleted_rows_count),
    isEncrypted: Boolean(record.key_metadata),
  }))

type Count = z.infer<typeof count>
interface FileCounts {
  files: number
  rows: number
}
const counts = (files: Count, rows: Count): FileCounts | undefined =>
  files === null || files === undefined ? undefined : { files: Number(files), rows: Number(rows ?? 0) }

/** A manifest as a manifest list names it. */
export type ManifestFile = Omit<z.infer<typeof listRecord>, 'isEncrypted'>

/** Reads a manifest list, of format version 1 or 2. `path` is for error messages. */
export const decodeManifestList = async (content: Uint8Array, path: string): Promise<ManifestFile[]> => {
  const { decodeAvro } = await loadAvro()
  const { records } = await decodeAvro(content, manifestFieldName)
  return records.map(value => {
    const result = listRecord.safeParse(value)
    if (!result.success)
      throw new IcebergRefusal(`The manifest list ${path} has an entry that is not valid.`, {
        cause: result.error,
      })
    const { isEncrypted, ...manifest } = result.data
    if (isEncrypted) throw new IcebergRefusal(`The manifest ${manifest.path} is encrypted.`)
    return manifest
  })
}

/** The bytes of the manifest list of a snapshot. */
export const encodeManifestList = async (
  snapshot: { snapshotId: bigint; parentSnapshotId: bigint | undefined; sequenceNumber: number },
  manifests: readonly ManifestFile[],
): Promise<Buffer> => {
  const { encodeAvro } = await loadAvro()
  return encodeAvro(manifestFileSchema, {
    header: {
      'snapshot-id': String(snapshot.snapshotId),
      'parent-snapshot-id': String(snapshot.parentSnapshotId ?? null),
      'sequence-number': String(snapshot.sequenceNumber),
      'format-version': '2',
    },
    records: manifests.map(manifest => ({
      manifest_path: manifest.path,
      manifest_length: BigInt(manifest.bytes),
      partition_spec_id: manifest.specId,
      content: manifest.content === 'data' ? 0 : 1,
      sequence_number: BigInt(manifest.sequenceNumber),
      min_sequence_number: BigInt(manifest.minSequenceNumber),
      added_snapshot_id: manifest.addedSnapshotId,
      ...writeCounts('added', manifest),
      ...writeCounts('existing', manifest),
      ...writeCounts('deleted', manifest),
      // One for each field of the partition spec, of which there are none. Trino and Spark count them without looking for null.
      partitions: [],
    })),
  })
}

const writeCounts = (kind: 'added' | 'existing' | 'deleted', manifest: ManifestFile) => {
  const found = manifest[kind]
  if (!found)
    throw new IcebergRefusal(
      `The manifest list does not count the files of ${manifest.path}, as version 2 must.`,
    )
  return { [`${kind}_files_count`]: found.files, [`${kind}_rows_count`]: BigInt(found.rows) }
}
