import { bytesInReply } from '../../lib/json/bytes-in-reply.ts'
import { ok } from './reply.ts'

/** Lambda refuses a result of more bytes of JSON, and the gateway then says nothing but 500. */
export const MAX_RESULT_BYTES = 6_291_556

/** Of a list: the rest of a result are its headers. */
export const MAX_LIST_BYTES = MAX_RESULT_BYTES - 64 * 1024

/** Longer texts are left out of an item that no reply has room for. */
const MAX_SHORT_LENGTH = 1_000

interface PageOptions<Item, Shown> {
  limit: number
  offset: number
  isListed?: (item: Item) => boolean
  /** The item on the wire. */
  show: (item: Item) => Shown | Promise<Shown>
}

/**
 * One page of a list: at most `limit` entries after `offset`. Reads no further, and stops at the first that a reply has no room for: it is
 * the last one of the page, so that `cutList` says where the list goes on.
 */
export const page = async <Item, Shown>(
  items: AsyncIterable<Item> | Iterable<Item>,
  { limit, offset, isListed = () => true, show }: PageOptions<Item, Shown>,
): Promise<Shown[]> => {
  const found: Shown[] = []
  let skipped = 0
  let bytes = 0
  if (limit === 0) return found
  for await (const item of items) {
    if (!isListed(item)) continue
    if (skipped++ < offset) continue
    const shown = await show(item)
    found.push(shown)
    bytes += bytesInReply(shown)
    if (found.length === limit || bytes > MAX_LIST_BYTES) break
  }
  return found
}

/** Characters of entries that one reply reads and does not show. */
export const MAX_PASSED_OVER = 8_000_000

interface SearchOptions<Item, Shown> extends PageOptions<Item, Shown> {
  isListed: (item: Item) => boolean
  /** Of the request. */
  address: string
}

/**
 * One page of a list, newest first, that shows some of its entries only. It reads so far that nobody waits for it: `Link` then names where
 * the search goes on, with `maxId`, though the page has fewer entries than asked for, or none.
 */
export const searchedPage = async <Item extends { id: number }, Shown>(
  items: AsyncIterable<Item>,
  { isListed, address, ...options }: SearchOptions<Item, Shown>,
): Promise<Response> => {
  let passedOver = 0
  let listed = 0
  let maxId: number | undefined
  const listedOnes = async function* () {
    for await (const item of items) {
      if (isListed(item)) {
        listed++
        yield item
      } else passedOver += JSON.stringify(item).length
      if (passedOver > MAX_PASSED_OVER) {
        maxId = item.id
        return
      }
    }
  }
  const reply = ok(await page(listedOnes(), options))
  if (maxId !== undefined) {
    const url = new URL(address)
    url.searchParams.set('maxId', String(maxId))
    url.searchParams.set('offset', String(Math.max(0, options.offset - listed)))
    reply.headers.set('link', linkTo(url))
  }
  return reply
}

const linkTo = (url: URL): string => `<${url.href}>; rel="next"`

/**
 * The reply of a list with as many of its items as a reply may hold. When some are left out, `Link` (RFC 8288) names where they are: the
 * same address with another `offset`. Of an item that alone is too large only its short fields are shown.
 *
 * @param skip so many items are left out at the beginning, of a list whose route reads no `offset` itself
 */
export const cutList = async (reply: Response, address: URL, skip: number): Promise<Response> => {
  // What is in JSON escapes to twice its bytes at most
  if (skip === 0 && Number(reply.headers.get('content-length')) * 2 < MAX_LIST_BYTES) return reply
  const items: unknown = await reply.json()
  if (!Array.isArray(items)) throw new Error('The route of a list answered with something else')
  const shown: unknown[] = []
  let bytes = 0
  for (const item of items.slice(skip)) {
    const size = bytesInReply(item)
    const isTooLarge = size > MAX_LIST_BYTES
    bytes += isTooLarge ? bytesInReply(shortFieldsOf(item)) : size
    if (bytes > MAX_LIST_BYTES) break
    shown.push(isTooLarge ? shortFieldsOf(item) : item)
  }
  const headers = new Headers(reply.headers)
  headers.delete('content-length')
  if (skip + shown.length < items.length) {
    const next = new URL(address)
    next.searchParams.set('offset', String(Number(address.searchParams.get('offset')) + shown.length))
    headers.set('link', linkTo(next))
  }
  return new Response(JSON.stringify(shown), { status: reply.status, headers })
}

const shortFieldsOf = (item: unknown): unknown =>
  typeof item === 'object' && item !== null
    ? Object.fromEntries(
        Object.entries(item).filter(
          ([, value]) =>
            value === null ||
            ['number', 'boolean'].includes(typeof value) ||
            (typeof value === 'string' && value.length <= MAX_SHORT_LENGTH),
        ),
      )
    : null
