import fc from 'fast-check'
import { expect, it } from 'vitest'
import { MAX_PASSED_OVER, searchedPage } from '#functions/storage-api/http/page.ts'

interface Entry {
  id: number
  isListed: boolean
  text: string
}

/** Three of them are more than a reply passes over. */
const long = 'x'.repeat(MAX_PASSED_OVER / 3)

/** A list, newest first, and how much of it was read. */
const listOf = (flags: readonly boolean[]) => {
  const entries = flags.map(
    (isListed, index): Entry => ({ id: flags.length - index, isListed, text: isListed ? '' : long }),
  )
  let read = 0
  return {
    listed: entries.filter(({ isListed }) => isListed).map(({ id }) => id),
    read: () => read,
    below: async function* (maxId: number) {
      for (const entry of entries)
        if (entry.id < maxId) {
          read++
          yield entry
        }
    },
  }
}

const ask = async (list: ReturnType<typeof listOf>, address: URL) => {
  const asked = address.searchParams
  const reply = await searchedPage(list.below(Number(asked.get('maxId') ?? Number.POSITIVE_INFINITY)), {
    limit: Number(asked.get('limit')),
    offset: Number(asked.get('offset')),
    isListed: ({ isListed }) => isListed,
    show: ({ id }) => id,
    address: address.href,
  })
  const ids: unknown = await reply.json()
  const next = /^<(.+)>; rel="next"$/.exec(reply.headers.get('link') ?? '')?.[1]
  return { ids: ids as number[], next: next === undefined ? undefined : new URL(next) }
}

it('a search that passes over much is answered in parts, which together are what it finds', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.boolean(), { maxLength: 12 }), fc.nat(4), async (flags, offset) => {
      const list = listOf(flags)
      const found: number[] = []
      let next: URL | undefined = new URL(
        `http://api.test/v2/storage/jobs?status=error&limit=100&offset=${offset}`,
      )
      for (let parts = 0; next !== undefined && parts < 10; parts++) {
        const reply = await ask(list, next)
        found.push(...reply.ids)
        next = reply.next
      }
      expect(next).toBeUndefined()
      expect(found).toEqual(list.listed.slice(offset))
    }),
    { numRuns: 40 },
  )
})

it('one reply reads three of a hundred that its caller may not see, and says where the rest is', async () => {
  const list = listOf([...Array<boolean>(100).fill(false), true])
  const { ids, next } = await ask(
    list,
    new URL('http://api.test/v2/storage/events?limit=10&offset=5&q=type:error'),
  )
  expect(ids).toEqual([])
  expect(list.read()).toBe(3)
  expect(next?.search).toBe('?limit=10&offset=5&q=type%3Aerror&maxId=99')
})

it('a page that is full says nothing of the rest', async () => {
  const list = listOf([true, true, true])
  expect(await ask(list, new URL('http://api.test/v2/storage/events?limit=2'))).toEqual({
    ids: [3, 2],
    next: undefined,
  })
})
