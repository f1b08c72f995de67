import { idSortKey } from '../db/ids.ts'
import type { ItemTable } from '../db/item-table.ts'
import type { JobRecord } from './job-record.ts'

/** How many jobs of one token are under way at a time. The others wait, and leave room for those of other tokens. */
export interface ShareLimits {
  /** Runs of configurations. */
  runs: number
  /** All other jobs. */
  jobs: number
}

const GENEROUS: ShareLimits = { runs: 20, jobs: 40 }

/** Of the function's environment: both, or none. */
export const readShareLimits = (env: { RUNS_PER_TOKEN?: string; JOBS_PER_TOKEN?: string }): ShareLimits => ({
  runs: Number(env.RUNS_PER_TOKEN ?? GENEROUS.runs),
  jobs: Number(env.JOBS_PER_TOKEN ?? GENEROUS.jobs),
})

/** Of the jobs of a token, and of its runs. Those of the master token have none: it is the operator's, and the landing bucket's. */
export const shareOf = (tokenId: string, { operationName }: JobRecord['input']): string =>
  `${operationName === 'configurationRun' ? 'runs' : 'jobs'}#${tokenId}`

/** On a place whose job was not started for want of a share. */
const WAITS = 1

type Sharing = Pick<JobRecord, 'id' | 'share'>

/**
 * The places of the open jobs of a share, in the order of acceptance: the first ones may be under way. A place is written before its job and
 * removed when the job has ended; one that a crash left is removed by whoever waits behind it.
 */
export const createJobShares = (items: ItemTable, limits: ShareLimits = GENEROUS) => {
  const partition = (share: string) => `SHARE#${share}`
  const limitOf = (share: string): number => limits[share.startsWith('runs#') ? 'runs' : 'jobs']
  const placeOf = (share: string, id: number) => ({ pk: partition(share), sk: idSortKey(id) })

  /** The places that count, and one more. */
  const firstOf = async (share: string) => {
    const pageSize = limitOf(share) + 1
    const found: { id: number; waits: boolean }[] = []
    for await (const { sk, waits } of items.query(partition(share), { from: '0', to: ':', pageSize })) {
      found.push({ id: Number(sk), waits: waits === WAITS })
      if (found.length === pageSize) break
    }
    return found
  }

  const isIn = async ({ id, share }: Sharing & { share: string }): Promise<boolean> => {
    const limit = limitOf(share)
    const first = (await firstOf(share)).slice(0, limit)
    return first.length < limit || first.some(place => place.id === id)
  }

  return {
    limitOf,

    enter: async ({ id, share }: Sharing): Promise<void> => {
      if (share !== undefined) await items.put(placeOf(share, id), {})
    },

    leave: async ({ id, share }: Sharing): Promise<void> => {
      if (share !== undefined) await items.delete(placeOf(share, id))
    },

    /** Whether the job is one of those that may be under way. If not, it is noted that it waits: whoever leaves starts it. */
    mayBegin: async ({ id, share }: Sharing): Promise<boolean> => {
      if (share === undefined || (await isIn({ id, share }))) return true
      await items.put(placeOf(share, id), { waits: WAITS })
      // Read after the note was written: whoever leaves from here on finds it.
      return isIn({ id, share })
    },

    /** It waits for its share no longer. */
    begun: async ({ id, share }: Sharing): Promise<void> => {
      if (share !== undefined) await items.put(placeOf(share, id), {}, { waits: WAITS })
    },

    /** Whether nobody of the share waited before this job. */
    isFirstToWait: async ({ id, share }: Sharing): Promise<boolean> =>
      share !== undefined && (await firstOf(share))[limitOf(share)]?.id === id,

    /** The ids of those that may begin now and have waited. */
    waiting: async (share: string): Promise<number[]> =>
      (await firstOf(share))
        .slice(0, limitOf(share))
        .filter(({ waits }) => waits)
        .map(({ id }) => id),

    /** The ids of those that count as under way. */
    underWay: async (share: string): Promise<number[]> =>
      (await firstOf(share)).slice(0, limitOf(share)).map(({ id }) => id),
  }
}
