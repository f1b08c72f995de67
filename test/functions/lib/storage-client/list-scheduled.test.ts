import { describe, expect, it } from 'vitest'
import { UserError } from '#lib/errors/errors.ts'
import type { Configuration } from '#lib/storage-client/seldom-read.ts'
import { listScheduled } from '#lib/storage-client/seldom-read.ts'

/** Configurations of a size each, in units of which a reply may hold a hundred. */
const service = (sizes: readonly number[], { knowsPages = true, cutAt = Number.POSITIVE_INFINITY } = {}) => {
  const ids = sizes.map((_, index) => `c-${String(index).padStart(4, '0')}`)
  let requests = 0
  const readPage = async (query: URLSearchParams) => {
    requests += 1
    const after = query.get('sinceId') ?? ''
    const first = Number(query.get('offset'))
    const whole = knowsPages
      ? ids.filter(id => id > after).slice(first, first + Number(query.get('limit')))
      : ids
    const page = whole.slice(0, cutAt)
    const size = page.reduce((sum, id) => sum + (sizes[ids.indexOf(id)] ?? 0), 0)
    if (size > 100) throw new UserError('storage.responseTooLarge', 'too large')
    // Nothing else of them is read.
    return { page: page.map(id => ({ id }) as Configuration), isCut: page.length < whole.length }
  }
  const list = async () => {
    const tooLarge: unknown[] = []
    const listed: string[] = []
    for await (const { id } of listScheduled(readPage, { onTooLarge: place => tooLarge.push(place) }))
      listed.push(id)
    return { listed, tooLarge, requests }
  }
  return { ids, list }
}

describe('listScheduled', () => {
  it.each([0, 1, 99, 100, 101, 1_234])('lists each of %d once, in the order of ids', async count => {
    const { ids, list } = service(Array.from({ length: count }, () => 0.1))
    const { listed, requests } = await list()
    expect(listed).toEqual(ids)
    expect(requests).toBe(Math.floor(count / 100) + 1)
  })

  it.each([1, 7, 99])('goes on where a page of %d was cut', async cutAt => {
    const { ids, list } = service(
      Array.from({ length: 250 }, () => 0.1),
      { cutAt },
    )
    expect((await list()).listed).toEqual(ids)
  })

  it('asks for smaller pages when a page is larger than a reply may be', async () => {
    const { ids, list } = service(Array.from({ length: 250 }, (_, index) => (index % 90 === 0 ? 60 : 2)))
    const { listed, tooLarge } = await list()
    expect([listed, tooLarge]).toEqual([ids, []])
  })

  it('leaves out one that alone is larger than a reply may be, and says where it is', async () => {
    const { ids, list } = service([1, 1, 101, 1, 101, 101, 1])
    const { listed, tooLarge } = await list()
    expect(listed).toEqual([ids[0], ids[1], ids[3], ids[6]])
    expect(tooLarge).toEqual([
      { after: 'c-0001', offset: 0 },
      { after: 'c-0003', offset: 0 },
      { after: 'c-0003', offset: 1 },
    ])
  })

  it.each([7, 100, 180])('takes the whole list of a service that knows no pages, of %d', async count => {
    const { ids, list } = service(
      Array.from({ length: count }, () => 0.1),
      { knowsPages: false },
    )
    expect((await list()).listed).toEqual(ids)
  })
})
