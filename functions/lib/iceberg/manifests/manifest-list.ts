import { z } from 'zod'
import { IcebergRefusal } from '../refusal.ts'
import { loadAvro } from './manifest.ts'
import { manifestFieldName, manifestFileSchema } from './manifest-schema.ts'

const long = z.bigint().transform(Number)

const listRecord = z
  .object({
    manifest_path: z.string(),
    manifest_length: long,
    content: z.int().min(0).max(1),
    sequence_number: long,
    min_sequence_number: long,
    added_snapshot_id: z.bigint(),
    added_files_count: z.int(),
    existing_files_count: z.int(),
    deleted_files_count: z.int(),
    added_rows_count: long,
    existing_rows_count: long,
    deleted_rows_count: long,
  })
  .transform(record => ({
    path: record.manifest_path,
    bytes: record.manifest_length,
    content: record.content === 0 ? ('data' as const) : ('deletes' as const),
    sequenceNumber: record.sequence_number,
    minSequenceNumber: record.min_sequence_number,
    addedSnapshotId: record.added_snapshot_id,
    added: { files: record.added_files_count, rows: record.added_rows_count },
    existing: { files: record.existing_files_count, rows: record.existing_rows_count },
    deleted: { files: record.deleted_files_count, rows: record.deleted_rows_count },
  }))

/** A manifest as a manifest list names it. */
export type ManifestFile = z.infer<typeof listRecord>

/** Reads a manifest list. `path` is for error messages. */
export const decodeManifestList = async (content: Uint8Array, path: string): Promise<ManifestFile[]> => {
  const { decodeAvro } = await loadAvro()
  const { records } = await decodeAvro(content, manifestFieldName)
  const result = z.array(listRecord).safeParse(records)
  if (!result.success)
    throw new IcebergRefusal(`The manifest list ${path} has an entry that is not valid.`, {
      cause: result.error,
    })
  return result.data
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
    records: manifests.map(({ added, existing, deleted, ...manifest }) => ({
      manifest_path: manifest.path,
      manifest_length: BigInt(manifest.bytes),
      partition_spec_id: 0,
      content: manifest.content === 'data' ? 0 : 1,
      sequence_number: BigInt(manifest.sequenceNumber),
      min_sequence_number: BigInt(manifest.minSequenceNumber),
      added_snapshot_id: manifest.addedSnapshotId,
      added_files_count: added.files,
      existing_files_count: existing.files,
      deleted_files_count: deleted.files,
      added_rows_count: BigInt(added.rows),
      existing_rows_count: BigInt(existing.rows),
      deleted_rows_count: BigInt(deleted.rows),
      // One for each field of the partition spec, of which there are none. Trino and Spark count them without looking for null.
      partitions: [],
    })),
  })
}
