import { z } from 'zod'
import { UserError } from '../../errors/errors.ts'
import { type ItemTable, startingWith } from '../../items/item-table.ts'
import { DATA_FORMAT } from './data-format.ts'

const key = { pk: 'FORMAT', sk: 'all' }
const mark = z.object({ format: z.number() })

/** What every stack has something in once it was used, in whatever form it is kept. */
const USED_PARTITIONS = ['BUCKETS', 'FILES#MONTHS', 'EVENTS#MONTHS']

/**
 * Rejects when the items have another form than this version's. A table without items gets the mark, before anything
 * else is stored. Error: 501 `storage.dataFormat`.
 */
export const checkDataFormat = async (items: ItemTable): Promise<void> => {
  const found = await readMark(items)
  if (found === DATA_FORMAT) return
  if (found === undefined) {
    if (!(await isUsed(items))) return void (await items.put(key, { format: DATA_FORMAT }, 'absent'))
    // Another process may have marked and used the table since we looked.
    if ((await readMark(items)) === DATA_FORMAT) return
  }
  throw new UserError(
    'storage.dataFormat',
    `What this stack stores was written by another version of Millrace (its format is ${found ?? 'not noted'}; this ` +
      `version reads ${DATA_FORMAT}). Deploy that version again to use or export it, or deploy this one as a new stack.`,
  )
}

const readMark = async (items: ItemTable): Promise<number | undefined> => {
  const item = await items.get(key)
  return item && mark.parse(item).format
}

const isUsed = async (items: ItemTable): Promise<boolean> => {
  for (const pk of USED_PARTITIONS)
    for await (const _item of items.query(pk, { ...startingWith(''), pageSize: 1, attributes: ['sk'] }))
      return true
  return false
}
