import { z } from 'zod'
import { type ItemTable, startingWith } from '../../items/item-table.ts'
import { idParts, idSortKey } from '../db/ids.ts'
import type { JobRecord } from './job-record.ts'

const PARTITION = 'OPEN_JOBS'
const THROUGH = { pk: PARTITION, sk: 'THROUGH' }
const NEXT = { pk: PARTITION, sk: 'NEXT' }

/** Of sixteen digits each: some 170 KB in one item. */
const IDS_IN_ITEM = 10_000

/** A job that is stored so long after its id was made may be behind what was looked through. */
const LATE_MS = 60_000

const through = z.object({ id: z.number() })
const next = z.object({ group: z.string() })
const group = z.object({ sk: z.string(), ids: z.array(z.number()), notedTime: z.string().optional() })

/** Jobs that may be open, by the window in which they were found. `notedTime`: of one that may not be stored yet. */
export type OpenGroup = z.infer<typeof group>

/**
 * What is known of open jobs: up to which id all jobs were looked through, and which of those were open then. Nothing
 * else needs to be looked at again, however many jobs there were.
 */
export const createOpenJobList = (items: ItemTable) => ({
  /** The id up to which jobs were looked through. Undefined: never. */
  through: async (): Promise<number | undefined> => {
    const item = await items.get(THROUGH)
    return item && through.parse(item).id
  },

  groups: async (): Promise<OpenGroup[]> => {
    const found: OpenGroup[] = []
    for (const prefix of ['GROUP#', 'LATE#'])
      for await (const item of items.query(PARTITION, startingWith(prefix))) found.push(group.parse(item))
    return found
  },

  /** The group (`sk`) with which the next look begins. Undefined: the first one. */
  nextGroup: async (): Promise<string | undefined> => {
    const item = await items.get(NEXT)
    return item && next.parse(item).group
  },

  keepNextGroup: async (group: string | undefined): Promise<void> => {
    if (group === undefined) await items.delete(NEXT)
    else await items.put(NEXT, { group })
  },

  /**
   * Keeps the jobs that were open among those with ids from `from` to `to`, then that these were looked through: a process
   * that dies in between leaves them to the next look, which finds the same or fewer.
   */
  settle: async (range: { from: number; to: number }, ids: readonly number[]): Promise<void> => {
    for (let start = 0; start < ids.length; start += IDS_IN_ITEM) {
      const sk = `GROUP#${idSortKey(range.from)}-${idSortKey(range.to)}#${start}`
      await items.put({ pk: PARTITION, sk }, { ids: ids.slice(start, start + IDS_IN_ITEM) })
    }
    await items.put(THROUGH, { id: range.to })
  },

  /** Keeps only these of a group. */
  keep: async ({ sk, ids }: OpenGroup, open: readonly number[]): Promise<void> => {
    if (open.length === 0) await items.delete({ pk: PARTITION, sk })
    else if (open.length < ids.length) await items.put({ pk: PARTITION, sk }, { ids: open })
  },

  /** Before a job is stored whose id is old: an idempotent request that is repeated takes the id of the first attempt. */
  noteIfLate: async ({ id, createdTime }: Pick<JobRecord, 'id' | 'createdTime'>): Promise<void> => {
    if (Date.parse(createdTime) - idParts(id).milliseconds < LATE_MS) return
    await items.put({ pk: PARTITION, sk: `LATE#${idSortKey(id)}` }, { ids: [id], notedTime: createdTime })
  },
})
