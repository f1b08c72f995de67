import type { TransientCode } from '../../errors/codes.ts'
import { TransientError } from '../../errors/errors.ts'
import { type Item, type ItemTable, type ItemWrite, startingWith } from '../../items/item-table.ts'
import { idSortKey } from './ids.ts'
import { changeRevised } from './until-written.ts'

interface RevisedKind<Stored> {
  partition: string
  schema: { parse(item: Item): Stored }
  /** For messages: `token`. */
  name: string
  /** When many change one record at once. */
  busyCode: TransientCode
}

/** Records of one partition by their ids, each changed on condition of its revision. */
export const createRevisedRecords = <Stored extends { id: number; revision: number }>(
  items: ItemTable,
  { partition, schema, name, busyCode }: RevisedKind<Stored>,
) => {
  const keyOf = (id: number) => ({ pk: partition, sk: idSortKey(id) })

  const get = async (id: number): Promise<Stored | undefined> => {
    const item = await items.get(keyOf(id))
    return item && schema.parse(item)
  }

  return {
    get,

    /** Resolves to false when the id is taken. */
    insert: (record: Stored): Promise<boolean> => items.put(keyOf(record.id), { ...record }, 'absent'),

    /** The same, for a transaction. */
    inserting: (record: Stored): ItemWrite => ({
      action: 'put',
      key: keyOf(record.id),
      item: { ...record },
      when: 'absent',
    }),

    /** {@link changeRevised} */
    update: (id: number, change: (current: Stored) => Stored): Promise<Stored | undefined> =>
      changeRevised(
        {
          read: () => get(id),
          write: (changed, when) => items.put(keyOf(id), { ...changed }, when),
          busy: () => new TransientError(busyCode, `The ${name} ${id} is being changed by many requests.`),
        },
        change,
      ),

    delete: (id: number): Promise<boolean> => items.delete(keyOf(id)),

    /** By creation time. */
    list: (): Promise<Stored[]> =>
      Array.fromAsync(items.query(partition, startingWith('')), item => schema.parse(item)),
  }
}
