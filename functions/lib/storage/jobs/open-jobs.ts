import { z } from 'zod'
import type { ItemTable, ItemWrite } from '../../items/item-table.ts'
import { idSortKey } from '../db/ids.ts'
import { querySpread, shardOf } from '../db/spread.ts'

const openJob = z.object({ id: z.number(), queue: z.string().optional() })

/** `queue`: its branch and table, of one that waits for others. */
type OpenJob = z.infer<typeof openJob>

const PARTITION = 'OPEN_JOBS'
const keyOf = (id: number) => ({ pk: shardOf(PARTITION, id), sk: idSortKey(id) })

/**
 * Each job has an entry here from its acceptance to its end, written and deleted with it in one transaction. Whatever died in between, the
 * clock finds it.
 */
export const createOpenJobs = (items: ItemTable) => ({
  opening: (job: OpenJob): ItemWrite => ({
    action: 'put',
    key: keyOf(job.id),
    item: { ...job },
  }),

  closing: (id: number): ItemWrite => ({ action: 'delete', key: keyOf(id) }),

  /** Newest first. */
  async *list(): AsyncGenerator<OpenJob> {
    for await (const item of querySpread(items, PARTITION)) yield openJob.parse(item)
  },
})
