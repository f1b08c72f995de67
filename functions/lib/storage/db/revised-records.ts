import type { TransientCode } from '../../errors/codes.ts'
import { TransientError } from '../../errors/errors.ts'
import {
  type AttributeCondition,
  type Item,
  type ItemTable,
  type ItemWrite,
  plainView,
  startingWith,
} from '../../items/item-table.ts'
import { idSortKey } from './ids.ts'
import { changeRevised } from './until-written.ts'

/** Written together with a record. */
type Also = readonly ItemWrite[] | Promise<readonly ItemWrite[]>

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

  const plain = plainView(items)
  const { decide } = plain

  const inserting = (record: Stored): ItemWrite => ({
    action: 'put',
    key: keyOf(record.id),
    item: { ...record },
    when: 'absent',
  })

  const deleting = (id: number, when: AttributeCondition = { id }): ItemWrite => ({
    action: 'delete',
    key: keyOf(id),
    when,
  })

  return {
    get,

    /** Together with other writes. Resolves to false when the id is taken, or another write is refused. */
    insert: (record: Stored, also: readonly ItemWrite[] = []): Promise<boolean> =>
      decide([inserting(record), ...also]),

    /** The same, for a transaction. */
    inserting,

    /** {@link changeRevised}. `alsoOf`: what is written with it. */
    update: (
      id: number,
      change: (current: Stored) => Stored,
      alsoOf: (changed: Stored, before: Stored) => Also = () => [],
    ): Promise<Stored | undefined> =>
      changeRevised(
        {
          read: () => get(id),
          write: async (changed, before) => {
            const { revision } = before
            const item = { ...changed }
            const also = await alsoOf(changed, before)
            return decide([{ action: 'put', key: keyOf(id), item, when: { revision } }, ...also])
          },
          busy: () => new TransientError(busyCode, `The ${name} ${id} is being changed by many requests.`),
        },
        change,
      ),

    deleting,

    /** Resolves to false when it is gone, or not so any more. */
    delete: (id: number, also: readonly ItemWrite[] = [], when?: AttributeCondition): Promise<boolean> =>
      decide([deleting(id, when), ...also]),

    /** That it is there, for the transaction that needs it. */
    touching: (id: number): Promise<ItemWrite> => plain.touching(keyOf(id), { id }),

    /** By creation time. */
    list: (): Promise<Stored[]> =>
      Array.fromAsync(items.query(partition, startingWith('')), item => schema.parse(item)),
  }
}
