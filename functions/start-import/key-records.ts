import * as z from 'zod/mini'
import { TransientError } from '../lib/errors/errors.ts'
import type { ItemKey, ItemTable } from '../lib/items/item-table.ts'
import { type LeaseResult, type LeaseStore, takeLease } from '../lib/lease.ts'

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
  const nowSeconds = () => Math.floor(now().getTime() / 1000)
  const progressKey = (versionId: string) => recordKey(`version#${versionId}`)
  const leaseOf = (keyId: string) => createKeyLeaseStore(table, keyId, nowSeconds)
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
      const record = { ...saved, expiresAt: nowSeconds() + PROGRESS_EXPIRES_SECONDS }
      const when = { revision: revision === 0 ? undefined : revision }
      if (!(await table.put(progressKey(versionId), record, when))) throw leaseLost()
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

/** The right to import one key, held by one execution at a time. */
export interface KeyLease {
  owner: string
  /** Identity of the object version that the execution is about. */
  versionId: string
}

const leaseItem = z.object({
  leaseOwner: z.optional(z.string()),
  versionId: z._default(z.string(), ''),
})
/** What stands beside the state while the lease is held. */
const ofLease = ['leaseOwner', 'versionId', 'leaseTakenAt']

/** The lease of a key and the state of its imports, in one item: nobody but the holder writes the state. */
const createKeyLeaseStore = (table: RecordTable, keyId: string, nowSeconds: () => number) => {
  const key = recordKey(`lease#${keyId}`)
  const heldBy = (leaseOwner: string | undefined) => ({ leaseOwner })
  const store: LeaseStore<KeyLease, KeyState> = {
    holder: async () => {
      const { leaseOwner: owner, versionId } = leaseItem.parse((await table.get(key)) ?? {})
      return owner === undefined ? undefined : { owner, versionId }
    },

    take: async ({ owner, versionId }, deadOwner = owner) => {
      const set = { leaseOwner: owner, versionId, leaseTakenAt: nowSeconds() }
      for (const before of new Set([undefined, owner, deadOwner])) {
        const taken = await table.update(key, { set }, heldBy(before))
        if (taken) return { content: keyState.parse(taken['importState'] ?? {}) }
      }
      return undefined
    },

    release: async owner => {
      await table.update(key, { remove: ofLease }, heldBy(owner))
    },
  }

  return {
    ...store,

    /** Throws `TransientError` when another execution has taken the lease. */
    save: async (owner: string, importState: KeyState): Promise<void> => {
      if (!(await table.update(key, { set: { importState } }, heldBy(owner)))) throw leaseLost()
    },

    /** Saves the state and releases the lease. Does nothing when the lease is another's. */
    saveAndRelease: async (owner: string, importState: KeyState): Promise<void> => {
      await table.update(key, { set: { importState }, remove: ofLease }, heldBy(owner))
    },
  }
}

const leaseLost = (): TransientError =>
  new TransientError('landing.leaseLost', 'Another execution has taken this object over.')

/** The state of a key whose lease we hold. A change is kept in memory until it is saved. */
export const holdKey = (
  lease: ReturnType<typeof createKeyLeaseStore>,
  { owner, state }: { owner: string; state: KeyState },
) => {
  let current = state
  return {
    get state(): KeyState {
      return current
    },
    change: (changes: Partial<KeyState>): void => {
      current = { ...current, ...changes }
    },
    save: () => lease.save(owner, current),
    release: () => lease.saveAndRelease(owner, current),
  }
}

export type HeldKey = ReturnType<typeof holdKey>

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
  /** The newer version that had replaced the table before this one came. */
  supersededBy: z.optional(z.string()),
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

/** How far the imports of one key have come. Written only by the holder of the key's lease. */
export const keyState = z.object({
  /** This version and all before it, in S3's order, are done. Their own records may have expired. */
  through: z.optional(versionMark),
  /** Came after newer ones were loaded: it is loaded, and then they once more, before anything else. */
  late: z.optional(versionMark),
  /** The version, other than its own, whose parts the holder moves. */
  moving: z.optional(z.string()),
  /** Absent: this is the first import of the key, and there is no failure that its success would mend. */
  mayHaveFailed: z.optional(z.boolean()),
})

type KeyState = z.infer<typeof keyState>
