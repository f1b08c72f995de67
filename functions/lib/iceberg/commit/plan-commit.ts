import { encodeManifestList } from '../manifests/manifest-list.ts'
import { currentSchema, formatMetadata } from '../metadata/parse-metadata.ts'
import type { IcebergSnapshot, TableMetadata } from '../metadata/table-metadata.ts'
import type { NestedField } from '../metadata/types.ts'
import type { ObjectReader } from '../object-reader.ts'
import { findSnapshot, readManifestList } from '../read/read-manifests.ts'
import { withoutOldSnapshots } from './expire-snapshots.ts'
import { digestSnapshotId, digestUuid, nextVersion } from './object-name.ts'
import {
  type CommitContext,
  type KeptManifest,
  type ManifestContent,
  mergeManifests,
  withoutFiles,
  writeManifest,
} from './rewrite-manifests.ts'
import { summarize } from './summary.ts'
import type { NewObject, TableChange } from './table-change.ts'

/** How many metadata files before the current one the log names. */
const LOGGED_METADATA = 20

/** Metadata and where its file lies. */
interface CommittedMetadata {
  metadata: TableMetadata
  location: string
}

export interface CommitRequest {
  /** Reads what earlier commits wrote. */
  read: ObjectReader
  /** The commit before, or what to make a new table of. */
  base: CommittedMetadata | NewTable
  change: TableChange
  /** A snapshot after that of the change: the same rows in other files. It becomes visible with it. */
  rewrite?: Pick<TableChange, 'added' | 'removedData' | 'removedDeletes'>
  /** Names the commit, for example after its job. The same id, base and change give the same snapshot id. */
  commitId: string
  /** When the commit is made, in milliseconds since 1970. */
  timeMs: number
  /** Snapshots that were followed before this go, as do the oldest beyond `keepAtMost`. Default: all stay. */
  expire?: { beforeMs: number; keepAtMost?: number }
}

/** What to write, in this order, before the table's pointer moves to `location`. */
export interface CommitPlan extends CommittedMetadata {
  objects: NewObject[]
}

interface Content {
  kept: KeptManifest[]
  objects: NewObject[]
  added: NonNullable<TableChange['added']>
  removed: NonNullable<TableChange['added']>
}

/** The manifests of one content (rows or deletes) after the change. */
const planContent = async (
  commit: CommitContext,
  content: ManifestContent,
  earlier: Awaited<ReturnType<typeof readManifestList>>,
  change: TableChange,
): Promise<Content> => {
  const removedPaths = (content === 'data' ? change.removedData : change.removedDeletes) ?? new Set<string>()
  const added = (change.added ?? []).filter(file => (file.content === 'data') === (content === 'data'))
  const manifests = earlier.filter(
    ({ content: own, added, existing }) => own === content && added.files + existing.files > 0,
  )
  const { kept, removedFiles } = await withoutFiles(commit, manifests, removedPaths)
  const merged = await mergeManifests(commit, kept)
  const entries = added.map(file => ({ status: 'added' as const, snapshotId: commit.snapshotId, file }))
  const all = entries.length > 0 ? [...merged, await writeManifest(commit, content, entries)] : merged
  return {
    kept: all,
    objects: all.flatMap(({ object }) => object ?? []),
    added,
    removed: removedFiles,
  }
}

const hasFiles = ({ added = [], removedData, removedDeletes }: TableChange): boolean =>
  added.length > 0 || (removedData?.size ?? 0) > 0 || (removedDeletes?.size ?? 0) > 0

interface SnapshotPlan {
  metadata: TableMetadata
  objects: NewObject[]
}

/** The new snapshot, with its manifests and manifest list. */
const addSnapshot = async (
  metadata: TableMetadata,
  { read, change, commitId, timeMs: askedMs }: Omit<CommitRequest, 'base'>,
): Promise<SnapshotPlan> => {
  // A clock that goes back, or stands still, must not put a snapshot before its parent, or beside it.
  const before = metadata['snapshot-log'].at(-1)?.['timestamp-ms'] ?? -1
  const timeMs = Math.max(askedMs, metadata['last-updated-ms'], before + 1)
  const parent = findSnapshot(metadata)
  const sequenceNumber = metadata['last-sequence-number'] + 1
  const parentId = parent?.['snapshot-id']
  const commit: CommitContext = {
    read,
    folder: `${metadata.location}/metadata`,
    schema: currentSchema(metadata),
    snapshotId: digestSnapshotId(metadata['table-uuid'], parentId ?? -1n, BigInt(sequenceNumber), commitId),
    sequenceNumber,
  }
  const { snapshotId } = commit
  const earlier = parent ? await readManifestList(read, parent) : []
  const data = await planContent(commit, 'data', earlier, change)
  const deletes = await planContent(commit, 'deletes', earlier, change)
  const list = await encodeManifestList(
    { snapshotId, parentSnapshotId: parentId, sequenceNumber },
    [...data.kept, ...deletes.kept].map(({ manifest }) => manifest),
  )
  const snapshot: IcebergSnapshot = {
    'snapshot-id': snapshotId,
    ...(parentId !== undefined && { 'parent-snapshot-id': parentId }),
    'sequence-number': sequenceNumber,
    'timestamp-ms': timeMs,
    'manifest-list': `${commit.folder}/snap-${snapshotId}-1-${digestUuid(list)}.avro`,
    summary: summarize(
      change.operation ?? 'overwrite',
      { added: [...data.added, ...deletes.added], removed: [...data.removed, ...deletes.removed] },
      parent?.summary,
    ),
    'schema-id': metadata['current-schema-id'],
  }
  return {
    objects: [...data.objects, ...deletes.objects, { location: snapshot['manifest-list'], content: list }],
    metadata: {
      ...metadata,
      'last-sequence-number': sequenceNumber,
      'last-updated-ms': timeMs,
      'current-snapshot-id': snapshotId,
      snapshots: [...metadata.snapshots, snapshot],
      'snapshot-log': [...metadata['snapshot-log'], { 'timestamp-ms': timeMs, 'snapshot-id': snapshotId }],
      refs: { ...metadata.refs, main: { 'snapshot-id': snapshotId, type: 'branch' } },
    },
  }
}

/** The snapshots of a change: none, one, or one more for its rewrite. */
const addSnapshots = async (metadata: TableMetadata, request: CommitRequest): Promise<SnapshotPlan> => {
  const first = hasFiles(request.change) ? await addSnapshot(metadata, request) : { metadata, objects: [] }
  const { rewrite } = request
  if (!rewrite) return first
  const unwritten = new Map(first.objects.map(({ location, content }) => [location, content]))
  const second = await addSnapshot(first.metadata, {
    ...request,
    read: async location => unwritten.get(location) ?? request.read(location),
    change: { ...rewrite, operation: 'replace' },
  })
  return { ...second, objects: [...first.objects, ...second.objects] }
}

const isCommitted = (base: CommittedMetadata | NewTable): base is CommittedMetadata => 'metadata' in base

/** The metadata of the change without its files. */
const applySettings = (
  base: TableMetadata,
  { fields, lastColumnId, properties }: TableChange,
): TableMetadata => {
  const metadata = fields ? withFields(base, fields, lastColumnId) : base
  return properties ? { ...metadata, properties: { ...metadata.properties, ...properties } } : metadata
}

/** The metadata file that follows the one at `earlier`. */
const metadataFile = (metadata: TableMetadata, earlier: string | undefined): NewObject => {
  const content = Buffer.from(formatMetadata(metadata))
  const name = `${nextVersion(earlier)}-${digestUuid(content)}.metadata.json`
  return { location: `${metadata.location}/metadata/${name}`, content }
}

/**
 * Plans one commit, from nothing but its arguments and what `read` gives: the same request gives the same objects.
 * Earlier manifests are used again; one with removed files is written anew, and many small ones are merged. A change of
 * columns or properties alone makes no snapshot.
 */
export const planCommit = async (request: CommitRequest): Promise<CommitPlan> => {
  const { base, change } = request
  const earlier = isCommitted(base) ? base : undefined
  const start = isCommitted(base) ? base.metadata : newMetadata(base, request.timeMs)
  const settled = applySettings(start, change)
  const { metadata: grown, objects } = await addSnapshots(settled, request)
  const current = request.expire ? withoutOldSnapshots(grown, request.expire).metadata : grown
  const logged = earlier && { 'metadata-file': earlier.location, 'timestamp-ms': start['last-updated-ms'] }
  const metadata: TableMetadata = {
    ...current,
    'last-updated-ms': Math.max(request.timeMs, grown['last-updated-ms']),
    'metadata-log': [...current['metadata-log'], ...(logged ? [logged] : [])].slice(-LOGGED_METADATA),
  }
  const file = metadataFile(metadata, earlier?.location)
  return { objects: [...objects, file], location: file.location, metadata }
}

/** What a new table is made of. */
export interface NewTable {
  uuid: string
  /** Its folder: `s3://bucket/tables/7`, without a slash at the end. */
  location: string
}

// Specification, "Partition Evolution": ids of partition fields begin at 1000.
const LAST_PARTITION_ID = 999

/** Metadata of a table without columns and snapshots: unpartitioned, unsorted. */
export const newMetadata = ({ uuid, location }: NewTable, timeMs: number): TableMetadata => ({
  'format-version': 2,
  'table-uuid': uuid,
  location,
  'last-sequence-number': 0,
  'last-updated-ms': timeMs,
  'last-column-id': 0,
  schemas: [{ type: 'struct', 'schema-id': 0, fields: [] }],
  'current-schema-id': 0,
  'partition-specs': [{ 'spec-id': 0, fields: [] }],
  'default-spec-id': 0,
  'last-partition-id': LAST_PARTITION_ID,
  properties: {},
  'current-snapshot-id': undefined,
  snapshots: [],
  'snapshot-log': [],
  'metadata-log': [],
  'sort-orders': [{ 'order-id': 0, fields: [] }],
  'default-sort-order-id': 0,
  refs: {},
})

const sameFields = (left: readonly NestedField[], right: readonly NestedField[]): boolean =>
  JSON.stringify(left) === JSON.stringify(right)

/** The metadata with these columns. A schema that the table has had before is used again. */
export const withFields = (
  metadata: TableMetadata,
  fields: readonly NestedField[],
  lastColumnId = 0,
): TableMetadata => {
  const known = metadata.schemas.find(schema => sameFields(schema.fields, fields))
  const isUnused = metadata.snapshots.length === 0 && metadata['last-column-id'] === 0
  const id = isUnused ? 0 : Math.max(...metadata.schemas.map(schema => schema['schema-id'])) + 1
  const added = { type: 'struct' as const, 'schema-id': id, fields: [...fields] }
  return {
    ...metadata,
    schemas: known ? metadata.schemas : [...(isUnused ? [] : metadata.schemas), added],
    'current-schema-id': known?.['schema-id'] ?? id,
    'last-column-id': Math.max(metadata['last-column-id'], lastColumnId, ...fields.map(field => field.id)),
  }
}
