import * as z from 'zod/mini'
import { idSortKey } from '../db/ids.ts'
import type { ItemTable } from '../db/item-table.ts'
import type { JobRecord } from './job-record.ts'

/**
 * How many runs of configurations, and how many other jobs, are under way at a time. The others wait, and leave room for those of other
 * tokens.
 */
const shareLimits = z.object({
  runsPerToken: z.number(),
  jobsPerToken: z.number(),
  /** Of all tokens that have one under way already: the first of each may always begin. */
  runsPerProject: z.number(),
  jobsPerProject: z.number(),
})

export type ShareLimits = z.infer<typeof shareLimits>

const GENEROUS: ShareLimits = {
  runsPerToken: 20,
  jobsPerToken: 40,
  runsPerProject: 100,
  jobsPerProject: 200,
}

/** Of the function's environment. */
export const readShareLimits = ({ SHARES }: { SHARES?: string }): ShareLimits =>
  SHARES === undefined ? GENEROUS : shareLimits.parse(JSON.parse(SHARES))

/** Of the jobs of a token, and of its runs. Those of the master token have none: it is the operator's, and the landing bucket's. */
export const shareOf = (tokenId: string, { operationName }: JobRecord['input']): string =>
  `${operationName === 'configurationRun' ? 'runs' : 'jobs'}#${tokenId}`

/** The share of the project that the share of a token is in. */
export const projectShareOf = (share: string): string => share.split('#')[0] ?? ''

/** On a place whose job was not started for want of a share. */
const WAITS = 1

type Sharing = Pick<JobRecord, 'id' | 'share'>

/**
 * The places of the open jobs of a share, in the order of acceptance: the first ones may be under way. A place is written before its job and
 * removed when the job has ended; one that a crash left is removed by whoever waits behind it. The share of the project has the places of
 * jobs that may begin as far as their tokens go, but for the first of each token.
 */
export const createJobShares = (items: ItemTable, limits: ShareLimits = GENEROUS) => {
  const limitOf = (share: string): number => {
    const isOfToken = share.includes('#')
    if (share.startsWith('runs')) return limits[isOfToken ? 'runsPerToken' : 'runsPerProject']
    return limits[isOfToken ? 'jobsPerToken' : 'jobsPerProject']
  }
  const placeOf = (share: string, id: number) => ({ pk: `SHARE#${share}`, sk: idSortKey(id) })

  /** The places that count, and one more. */
  const firstOf = async (share: string) => {
    const { pk } = placeOf(share, 0)
    const pageSize = limitOf(share) + 1
    const found: { id: number; waits: boolean }[] = []
    for await (const { sk, waits } of items.query(pk, { from: '0', to: ':', pageSize })) {
      found.push({ id: Number(sk), waits: waits === WAITS })
      if (found.length === pageSize) break
    }
    return found
  }

  /** Its number in the share, from 0; `undefined`: it is not in. What has no place yet comes last. */
  const numberIn = async (share: string, id: number): Promise<number | undefined> => {
    const first = (await firstOf(share)).slice(0, limitOf(share))
    const number = first.findIndex(place => place.id === id)
    if (number >= 0) return number
    return first.length < limitOf(share) ? first.length : undefined
  }

  /** The share in which the job has no place among those under way; `undefined`: it may begin. */
  const lackedBy = async ({ id, share }: Sharing): Promise<string | undefined> => {
    if (share === undefined) return undefined
    const number = await numberIn(share, id)
    if (number === undefined) return share
    // Whoever has nothing under way waits for nobody.
    if (number === 0) return undefined
    const project = projectShareOf(share)
    await items.put(placeOf(project, id), {}, 'absent')
    return (await numberIn(project, id)) === undefined ? project : undefined
  }

  return {
    limitOf,
    lackedBy,

    enter: async ({ id, share }: Sharing): Promise<void> => {
      if (share !== undefined) await items.put(placeOf(share, id), {})
    },

    leave: async ({ id, share }: Sharing): Promise<void> => {
      if (share === undefined) return
      await items.delete(placeOf(projectShareOf(share), id))
      await items.delete(placeOf(share, id))
    },

    /** Whether the job is one of those that may be under way. If not, it is noted that it waits: whoever leaves starts it. */
    mayBegin: async ({ id, share }: Sharing): Promise<boolean> => {
      const lacked = await lackedBy({ id, share })
      if (share === undefined || lacked === undefined) return true
      for (const waited of new Set([share, lacked])) await items.put(placeOf(waited, id), { waits: WAITS })
      // Read after the note was written: whoever leaves from here on finds it.
      return (await lackedBy({ id, share })) === undefined
    },

    /** It waits for its share no longer. */
    begun: async ({ id, share }: Sharing): Promise<void> => {
      if (share === undefined) return
      for (const waited of [share, projectShareOf(share)])
        await items.put(placeOf(waited, id), {}, { waits: WAITS })
    },

    /** The share that the job waits for, if nobody of its token waited before it. */
    firstWaitsFor: async ({ id, share }: Sharing): Promise<string | undefined> => {
      if (share === undefined) return undefined
      const first = await firstOf(share)
      const at = first.findIndex(place => place.id === id)
      if (first[at]?.waits !== true || first[at - 1]?.waits === true) return undefined
      return at === limitOf(share) ? share : projectShareOf(share)
    },

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
