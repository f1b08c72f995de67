import { z } from 'zod'
import type { BucketDocuments } from '../lib/cloud/bucket-documents.ts'
import { type LeaseStore, takeLease } from '../lib/lease.ts'
import { LEASES_PREFIX } from './names.ts'

interface ConfigurationPlace {
  componentId: string
  configId: string
  branchId?: number | undefined
}

interface ConfigurationLease {
  /** ARN of an execution. */
  owner: string
}

type ConfigurationLeaseStore = LeaseStore<ConfigurationLease, undefined>

/** `leases/branch/12/ex-generic-v2/orders.json` */
const keyOf = ({ componentId, configId, branchId }: ConfigurationPlace): string => {
  const branch = branchId === undefined ? '' : `branch/${branchId}/`
  return `${LEASES_PREFIX}${branch}${componentId}/${encodeURIComponent(configId)}.json`
}

const document = z.object({ owner: z.string().nullable(), takenAt: z.string() })

/** The lease of a configuration as a document in the work bucket. A released one has no owner. */
export const createConfigurationLeaseStore = (
  work: BucketDocuments,
  place: ConfigurationPlace,
  now: () => Date,
): ConfigurationLeaseStore => {
  const key = keyOf(place)

  const read = async () => {
    const stored = await work.read(key)
    return stored && { owner: document.parse(stored.value).owner, etag: stored.etag }
  }

  /** Resolves to false when somebody else wrote meanwhile, or when our own write arrived and its reply did not. */
  const write = (owner: string | null, etag: string | undefined): Promise<boolean> =>
    work.offer(key, { owner, takenAt: now().toISOString() }, etag === undefined ? 'absent' : { etag })

  return {
    holder: async () => {
      const owner = (await read())?.owner
      return owner ? { owner } : undefined
    },

    take: async ({ owner }, deadOwner) => {
      const current = await read()
      const holder = current?.owner ?? null
      const content = { content: undefined }
      if (holder === owner) return content
      if (holder !== null && holder !== deadOwner) return undefined
      return (await write(owner, current?.etag)) ? content : undefined
    },

    release: async owner => {
      const current = await read()
      if (current?.owner === owner) await write(null, current.etag)
    },
  }
}

export type ConfigurationLeases = ReturnType<typeof createConfigurationLeases>

interface ConfigurationLeasesOptions {
  work: BucketDocuments
  /** Whether an execution is still under way: one that was stopped releases nothing. */
  isRunning: (execution: string) => Promise<boolean>
  now: () => Date
}

/** The right to run one configuration, held by one execution at a time. */
export const createConfigurationLeases = ({ work, isRunning, now }: ConfigurationLeasesOptions) => {
  const storeOf = (place: ConfigurationPlace) => createConfigurationLeaseStore(work, place, now)
  return {
    take: (place: ConfigurationPlace, owner: string) =>
      takeLease(storeOf(place), { owner }, async execution => !(await isRunning(execution))),
    isHeld: async (place: ConfigurationPlace, execution: string) =>
      (await storeOf(place).holder())?.owner === execution,
    release: (place: ConfigurationPlace, execution: string) => storeOf(place).release(execution),
  }
}
