import type { Item, ItemTable } from '../../items/item-table.ts'
import { idSortKey } from './ids.ts'

/**
 * Partitions that one list is spread over. DynamoDB takes 1,000 write units a second for one partition key (Developer
 * Guide, "Best practices for designing and using partition keys"): with 16, what 1,000 uploads a second write fits.
 */
export const SHARDS = 16

/** Of each partition at first: together, about twice what lists show by default. */
const PAGE_SIZE = 12

/** The partition of a record. The last digits of ids are as good as random. */
export const shardOf = (partition: string, id: number): string => `${partition}#${id % SHARDS}`

const shardsOf = (partition: string): string[] =>
  Array.from({ length: SHARDS }, (_, shard) => `${partition}#${shard}`)

export interface IdRange {
  /** Only ids greater than this one. */
  sinceId?: number | undefined
  /** Only ids smaller than this one. */
  maxId?: number | undefined
}

/** The items of a list that is spread, newest first. */
export const querySpread = (
  items: Pick<ItemTable, 'query'>,
  partition: string,
  range?: IdRange,
): AsyncGenerator<Item> => queryNewest(items, shardsOf(partition), range)

/** The items of several partitions with ids as sort keys, newest first. */
export async function* queryNewest(
  items: Pick<ItemTable, 'query'>,
  partitions: readonly string[],
  { sinceId = 0, maxId = Number.MAX_SAFE_INTEGER }: IdRange = {},
): AsyncGenerator<Item> {
  const range = {
    from: idSortKey(sinceId + 1),
    to: idSortKey(maxId - 1),
    newestFirst: true,
    pageSize: PAGE_SIZE,
  }
  if (range.from > range.to) return
  const sources = partitions.map(pk => items.query(pk, range))
  try {
    yield* mergeNewest(sources)
  } finally {
    await Promise.all(sources.map(source => source.return(undefined)))
  }
}

async function* mergeNewest(sources: readonly AsyncGenerator<Item>[]): AsyncGenerator<Item> {
  const first = async (source: AsyncGenerator<Item>) => {
    const { value, done } = await source.next()
    return done ? [] : [{ item: value, sk: String(value['sk']), source }]
  }
  let heads = (await Promise.all(sources.map(first))).flat()
  while (heads.length > 0) {
    const newest = heads.reduce((one, other) => (other.sk > one.sk ? other : one))
    yield newest.item
    const next = await Promise.all(heads.map(head => (head === newest ? first(head.source) : [head])))
    heads = next.flat()
  }
}
