import {
  ListObjectVersionsCommand,
  type ListObjectVersionsCommandOutput,
  type S3Client,
} from '@aws-sdk/client-s3'
import * as z from 'zod/mini'
import { hexDigest } from '../lib/digests.ts'
import { TransientError } from '../lib/errors/errors.ts'
import type { ItemKey, ItemTable } from '../lib/items/item-table.ts'
import type { LandedObject } from '../lib/landed-object.ts'
import { type LeaseResult, type LeaseStore, takeLease } from '../lib/lease.ts'

/** One stored version of one key. */
export type ObjectVersion = Pick<LandedObject, 'bucket' | 'key'> & { versionId: string }

/** As an id that is safe in item keys and headers. */
export const objectVersionId = ({ bucket, key, versionId }: ObjectVersion): string =>
  digest([bucket, key, versionId])

/** One key of one bucket, whatever its version. */
export const objectKeyId = ({ bucket, key }: LandedObject): string => digest([bucket, key])

const digest = (parts: readonly string[]): string => hexDigest(JSON.stringify(parts))

/** How far the import of one object version has come: nothing, a file prepared, its upload begun, its bytes there, a job accepted. */
export const progressItem = z.object({
  /** Counts the writes of this record. */
  revision: z._default(z.int(), 0),
  /** Grows when the version is imported again, so that its idempotency key is a new one. */
  attempt: z._default(z.int(), 1),
  fileId: z.optional(z.int()),
  /** Of an object whose move takes several functions. */
  uploadId: z.optional(z.string()),
  isUploaded: z._default(z.boolean(), false),
  jobId: z.optional(z.int()),
  /** The job creates the table, and fails when another job was first. */
  isCreating: z._default(z.boolean(), false),
  /** How the version was loaded. */
  isIncremental: z.optional(z.boolean()),
  /** The execution of this version has reported that its job failed: whoever asks after that asks for another attempt. */
  isFailureReported: z._default(z.boolean(), false),
  /** Newer versions were loaded without it: only its own execution imports it, as one that comes late. */
  isSkipped: z._default(z.boolean(), false),
  /** Newer versions that are loaded again after this one, which came late. */
  reloadedVersions: z._default(z.int(), 0),
  /** The late version behind which this attempt loads again. */
  reloadOf: z.optional(z.string()),
})
export type Progress = z.infer<typeof progressItem>

/** The same version once more, from the beginning. */
export const nextAttempt = ({ attempt, revision, reloadedVersions }: Progress): Progress =>
  progressItem.parse({ attempt: attempt + 1, revision, reloadedVersions })

/** A version of a key, and when S3 stored it (ISO 8601). */
const versionMark = z.object({ versionId: z.string(), modified: z.string() })
export type VersionMark = z.infer<typeof versionMark>

/** S3's own name of what it replaces by the next write, while a bucket keeps no versions. */
export const NULL_VERSION = 'null'

/**
 * The versions of a key, newest first, down to the last of those that are asked for; all of them when one is not there.
 *
 * S3 lists strongly consistently, and versions of one key in the order in which it stored them (API Reference,
 * "ListObjectVersions"): an event is only a hint, this list is the truth. Delete markers are left out: to delete a file
 * says nothing about its table.
 */
export const readVersions = async (
  s3: S3Client,
  { bucket: Bucket, key: Prefix }: ObjectVersion,
  until: readonly (string | undefined)[],
): Promise<VersionMark[]> => {
  const versions: VersionMark[] = []
  const wanted = new Set(until)
  let from: { KeyMarker?: string | undefined; VersionIdMarker?: string | undefined } | undefined = {}
  while (from) {
    const page: ListObjectVersionsCommandOutput = await s3.send(
      new ListObjectVersionsCommand({ Bucket, Prefix, ...from }),
    )
    for (const { Key, VersionId, LastModified } of page.Versions ?? []) {
      if (Key !== Prefix || !VersionId || VersionId === NULL_VERSION || !LastModified) continue
      versions.push({ versionId: VersionId, modified: LastModified.toISOString() })
      wanted.delete(VersionId)
      if (wanted.size === 0) return versions
    }
    // The key itself comes before all others that begin with it.
    const { IsTruncated, NextKeyMarker: KeyMarker, NextVersionIdMarker: VersionIdMarker } = page
    from = IsTruncated && KeyMarker === Prefix ? { KeyMarker, VersionIdMarker } : undefined
  }
  return versions
}

/**
 * Those that S3 stored after `mark` (all of them without one), oldest first, up to `last`. A mark that is no longer there is placed
 * by its time.
 */
export const versionsAfter = (
  versions: readonly VersionMark[],
  mark: VersionMark | undefined,
  last?: VersionMark,
): VersionMark[] => {
  const place = versions.findIndex(({ versionId }) => versionId === mark?.versionId)
  const older = mark ? versions.findIndex(({ modified }) => modified < mark.modified) : -1
  const end = place >= 0 ? place : older >= 0 ? older : versions.length
  return versions.slice(last ? versions.indexOf(last) : 0, end).toReversed()
}

/** How far the imports of one key have come. Written only by the holder of the key's lease. */
export const keyState = z.object({
  /** This version and all before it, in S3's order, are done. Their own records may have expired. */
  through: z.optional(versionMark),
  /** Came after newer ones were loaded: it is loaded, and then they once more, before anything else. */
  late: z.optional(versionMark),
  /** Absent: this is the first import of the key, and there is no failure that its success would mend. */
  mayHaveFailed: z.optional(z.boolean()),
})
export type KeyState = z.infer<typeof keyState>

/** The right to import one key, held by one execution at a time. */
export interface KeyLease {
  owner: string
  /** Identity of the object version that the execution is about. */
  versionId: string
}

/** Where the hook keeps its records. */
export type RecordTable = Pick<ItemTable, 'get' | 'put' | 'update'>

/** The table has no sort key: all have the same. */
export const recordKey = (id: string): ItemKey => ({ pk: id, sk: 'record' })

interface ImportRecordsOptions {
  table: RecordTable
  /** Whether an execution is still under way: one that was stopped releases nothing. */
  isRunning: (execution: string) => Promise<boolean>
  now?: () => Date
}

/** Records outlive any redelivery by far; without this the table would only grow. */
export const PROGRESS_EXPIRES_SECONDS = 400 * 24 * 60 * 60

/** The records of the import hook: each change is one conditional write to one item. */
export const createImportRecords = ({ table, isRunning, now = () => new Date() }: ImportRecordsOptions) => {
  const progressKey = (versionId: string) => recordKey(`version#${versionId}`)
  const leaseOf = (keyId: string) => createKeyLeaseStore(table, recordKey(`lease#${keyId}`))
  const tableKey = (tableId: string) => recordKey(`table#${tableId}`)

  return {
    /** The lease of a key, and the state under its protection. */
    leaseOf,

    /** Takes the lease of a key, also from an execution that has ended, or says who holds it. */
    takeLease: (keyId: string, lease: KeyLease): Promise<LeaseResult<KeyLease, KeyState>> =>
      takeLease(leaseOf(keyId), lease, async execution => !(await isRunning(execution))),

    progress: async (versionId: string): Promise<Progress> =>
      progressItem.parse((await table.get(progressKey(versionId))) ?? {}),

    /**
     * Resolves to the progress with its new revision. Throws `TransientError` when somebody else wrote meanwhile: an execution that
     * was stopped may have a function that still works, beside that of the lease's next holder.
     */
    saveProgress: async (versionId: string, progress: Progress): Promise<Progress> => {
      const { revision } = progress
      const saved = { ...progress, revision: revision + 1 }
      const expiresAt = Math.floor(now().getTime() / 1000) + PROGRESS_EXPIRES_SECONDS
      const when = { revision: revision === 0 ? undefined : revision }
      if (!(await table.put(progressKey(versionId), { ...saved, expiresAt }, when))) throw leaseLost()
      return saved
    },

    /** Notes which key replaces a table first. Resolves to that when it is another one and nobody was told yet. */
    otherKeyOf: async (tableId: string, key: string): Promise<string | undefined> => {
      const found = tableItem.parse((await table.get(tableKey(tableId))) ?? {})
      if (found.key === undefined) await table.put(tableKey(tableId), { key }, 'absent')
      return found.isSaid || found.key === key ? undefined : found.key
    },

    otherKeySaid: async (tableId: string): Promise<void> => {
      await table.update(tableKey(tableId), { set: { isSaid: true } })
    },
  }
}

export type ImportRecords = ReturnType<typeof createImportRecords>

const tableItem = z.object({ key: z.optional(z.string()), isSaid: z._default(z.boolean(), false) })

const leaseItem = z.object({ leaseOwner: z.optional(z.string()), versionId: z._default(z.string(), '') })

/** The lease of a key and the state of its imports, in one item: nobody but the holder writes the state. */
interface KeyLeaseStore extends LeaseStore<KeyLease, KeyState> {
  /** Throws `TransientError` when another execution has taken the lease. */
  save(owner: string, importState: KeyState): Promise<void>
  /** With the state, where one is given. Does nothing when the lease is another's. */
  release(owner: string, importState?: KeyState): Promise<void>
}

const createKeyLeaseStore = (table: RecordTable, key: ItemKey): KeyLeaseStore => {
  const heldBy = (leaseOwner: string | undefined) => ({ leaseOwner })
  return {
    holder: async () => {
      const { leaseOwner: owner, versionId } = leaseItem.parse((await table.get(key)) ?? {})
      return owner === undefined ? undefined : { owner, versionId }
    },

    take: async ({ owner, versionId }, deadOwner = owner) => {
      for (const before of new Set([undefined, owner, deadOwner])) {
        const taken = await table.update(key, { set: { leaseOwner: owner, versionId } }, heldBy(before))
        if (taken) return { content: keyState.parse(taken['importState'] ?? {}) }
      }
      return undefined
    },

    save: async (owner, importState) => {
      if (!(await table.update(key, { set: { importState } }, heldBy(owner)))) throw leaseLost()
    },

    release: async (owner, importState) => {
      const change = { ...(importState && { set: { importState } }), remove: Object.keys(leaseItem.shape) }
      await table.update(key, change, heldBy(owner))
    },
  }
}

/** Takes the lease of a key, or says who holds it. A change of the state is kept in memory until it is saved. */
export const takeKey = async (
  { records }: { records: ImportRecords },
  landed: LandedObject,
  { owner, versionId }: KeyLease,
) => {
  const keyId = objectKeyId(landed)
  const taken = await records.takeLease(keyId, { owner, versionId })
  if (taken.outcome === 'held') return taken
  const lease = records.leaseOf(keyId)
  const key = {
    state: taken.content,
    save: () => lease.save(owner, key.state),
    release: () => lease.release(owner, key.state),
  }
  return { ...taken, key }
}

const leaseLost = (): TransientError =>
  new TransientError('landing.leaseLost', 'Another execution has taken this object over.')
