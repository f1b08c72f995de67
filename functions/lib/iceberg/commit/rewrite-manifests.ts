import pMap from 'p-map'
import { type DataFile, isLive } from '../manifests/data-file.ts'
import { encodeManifest, type NewEntry } from '../manifests/manifest.ts'
import type { ManifestFile } from '../manifests/manifest-list.ts'
import type { TableSchema } from '../metadata/types.ts'
import type { ObjectReader } from '../object-reader.ts'
import { readManifest } from '../read/read-manifests.ts'
import { IcebergRefusal } from '../refusal.ts'
import { digestUuid } from './object-name.ts'
import type { NewObject } from './table-change.ts'

/** Iceberg's `commit.manifest.min-count-to-merge`. */
const MOST_MANIFESTS = 100
/** Iceberg's `commit.manifest.target-size-bytes`. */
const MANIFEST_BYTES = 8 * 1024 * 1024
const FETCHES = 8

export type ManifestContent = 'data' | 'deletes'

interface WrittenManifest {
  manifest: ManifestFile
  object: NewObject
}

/** The commit that manifests are written for. */
export interface CommitContext {
  read: ObjectReader
  /** Where metadata lies: `s3://bucket/tables/7/metadata`. */
  folder: string
  schema: TableSchema
  snapshotId: bigint
  sequenceNumber: number
}

const count = (entries: readonly NewEntry[], status: NewEntry['status']) => {
  const counted = entries.filter(entry => entry.status === status)
  return { files: counted.length, rows: counted.reduce((sum, entry) => sum + entry.file.rows, 0) }
}

export const writeManifest = async (
  { folder, schema, snapshotId, sequenceNumber }: CommitContext,
  content: ManifestContent,
  entries: readonly NewEntry[],
): Promise<WrittenManifest> => {
  const bytes = await encodeManifest(schema, { content, entries })
  const path = `${folder}/${digestUuid(bytes)}-m0.avro`
  return {
    object: { location: path, content: bytes },
    manifest: {
      path,
      bytes: bytes.length,
      content,
      sequenceNumber,
      minSequenceNumber: Math.min(...entries.map(entry => entry.sequenceNumber ?? sequenceNumber)),
      addedSnapshotId: snapshotId,
      added: count(entries, 'added'),
      existing: count(entries, 'existing'),
      deleted: count(entries, 'deleted'),
    },
  }
}

/** A manifest of an earlier commit, or the one that takes its place. `object` is there when it has to be written. */
export interface KeptManifest {
  manifest: ManifestFile
  object?: NewObject
}

/**
 * The manifests of one content without the removed files. A manifest that has none of them stays as it is; another one
 * is written anew, with its removed files marked as deleted by this commit. A file that is not there is refused.
 */
export const withoutFiles = async (
  commit: CommitContext,
  manifests: readonly ManifestFile[],
  removed: ReadonlySet<string>,
): Promise<{ kept: KeptManifest[]; removedFiles: DataFile[] }> => {
  if (removed.size === 0) return { kept: manifests.map(manifest => ({ manifest })), removedFiles: [] }
  const found = new Map<string, DataFile>()
  const kept = await pMap(
    manifests,
    async (manifest): Promise<KeptManifest> => {
      const entries = (await readManifest(commit.read, manifest)).filter(isLive)
      if (!entries.some(entry => removed.has(entry.file.path))) return { manifest }
      const rewritten = entries.map((entry): NewEntry => {
        if (!removed.has(entry.file.path)) return { ...entry, status: 'existing' }
        found.set(entry.file.path, entry.file)
        return { ...entry, status: 'deleted', snapshotId: commit.snapshotId }
      })
      return writeManifest(commit, manifest.content, rewritten)
    },
    { concurrency: FETCHES },
  )
  const missing = [...removed].find(path => !found.has(path))
  if (missing !== undefined)
    throw new IcebergRefusal(`The commit removes the file ${missing}, which the table does not have.`)
  return { kept, removedFiles: [...found.values()] }
}

/** Entries in groups that give manifests of about the target size, judged by the manifests that they come from. */
const groupBySize = (entries: readonly NewEntry[], totalBytes: number): NewEntry[][] => {
  const groups = Math.max(1, Math.ceil(totalBytes / MANIFEST_BYTES))
  const size = Math.ceil(entries.length / groups)
  return Array.from({ length: groups }, (_, index) => entries.slice(index * size, (index + 1) * size)).filter(
    group => group.length > 0,
  )
}

/** When there are more than 100 manifests, the small ones become few: a reader fetches each of them. */
export const mergeManifests = async (
  commit: CommitContext,
  manifests: readonly KeptManifest[],
): Promise<KeptManifest[]> => {
  if (manifests.length <= MOST_MANIFESTS) return [...manifests]
  const isSmall = ({ manifest, object }: KeptManifest) => !object && manifest.bytes < MANIFEST_BYTES
  const small = manifests.filter(isSmall)
  const entries = await pMap(small, ({ manifest }) => readManifest(commit.read, manifest), {
    concurrency: FETCHES,
  })
  const live = entries.flat().filter(isLive)
  const totalBytes = small.reduce((sum, { manifest }) => sum + manifest.bytes, 0)
  const merged = await Promise.all(
    groupBySize(
      live.map(entry => ({ ...entry, status: 'existing' })),
      totalBytes,
    ).map(group => writeManifest(commit, small[0]?.manifest.content ?? 'data', group)),
  )
  return [...merged, ...manifests.filter(manifest => !isSmall(manifest))]
}
