/** Where a listing begins: at a key, there behind one of several that have it. */
export interface ListStart<Mark> {
  from: Uint8Array
  behind?: Mark
}

/** A stretch of what is listed, up to the key `end`. */
interface Stretch<Mark> extends ListStart<Mark> {
  end: Uint8Array
  limit: number
}

/** What is listed by key, in UTF-8 byte order. `Mark` tells those of one key apart. */
export interface Listed<Item extends { key: string }, Mark> {
  read(stretch: Stretch<Mark>): Iterable<Item>
  /** Where the items behind this one begin. */
  startAfter(item: Item): ListStart<Mark>
}

interface ListRequest<Mark> {
  prefix: string
  /** Empty: no grouping. */
  delimiter: string
  /** Items and common prefixes together. */
  limit: number
  start: ListStart<Mark>
}

interface ListPage<Item> {
  items: Item[]
  /** In UTF-8 byte order. */
  commonPrefixes: string[]
  /** What came last: an item with its key, or a common prefix alone. */
  last: { key: string; item: Item | undefined } | undefined
  isTruncated: boolean
}

/**
 * One page of a listing.
 *
 * A common prefix costs one seek, however many keys it stands for: the walk continues after it.
 */
export const listPage = <Item extends { key: string }, Mark>(
  listed: Listed<Item, Mark>,
  { prefix, delimiter, limit, start }: ListRequest<Mark>,
): ListPage<Item> => {
  const page: ListPage<Item> = { items: [], commonPrefixes: [], last: undefined, isTruncated: false }
  // Where keys are grouped, most of a long batch would be skipped over.
  const batch = delimiter === '' ? limit + 1 : Math.min(limit + 1, 50)
  const end = endOf(prefix)
  let next = limit === 0 ? undefined : notBefore(Buffer.from(prefix), start)
  while (next !== undefined) {
    let missing = batch
    const items: Iterable<Item> = listed.read({ ...next, end, limit: batch })
    next = undefined
    for (const item of items) {
      if (page.items.length + page.commonPrefixes.length === limit) return { ...page, isTruncated: true }
      const group = commonPrefixOf(item.key, prefix, delimiter)
      if (group !== undefined) {
        page.commonPrefixes.push(group)
        page.last = { key: group, item: undefined }
        next = { from: endOf(group) }
        break
      }
      page.items.push(item)
      page.last = { key: item.key, item }
      if (--missing === 0) next = listed.startAfter(item)
    }
  }
  return page
}

const notBefore = <Mark>(prefix: Buffer, start: ListStart<Mark>): ListStart<Mark> =>
  Buffer.compare(start.from, prefix) < 0 ? { from: prefix } : start

/** The part of the key up to and with the first delimiter behind the prefix. */
export const commonPrefixOf = (key: string, prefix: string, delimiter: string): string | undefined => {
  if (delimiter === '' || !key.startsWith(prefix)) return undefined
  const found = key.indexOf(delimiter, prefix.length)
  return found === -1 ? undefined : key.slice(0, found + delimiter.length)
}

/** The least key above `key`. */
export const successor = (key: string): Buffer => Buffer.concat([Buffer.from(key), Buffer.of(0)])

/** The least byte string above every key that starts with `prefix`. The byte 0xff is nowhere in UTF-8. */
export const endOf = (prefix: string): Buffer => {
  const end = Buffer.from(prefix === '' ? '\0' : prefix)
  const last = end.length - 1
  end[last] = prefix === '' ? 0xff : (end[last] ?? 0) + 1
  return end
}
