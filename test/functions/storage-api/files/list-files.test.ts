import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type StorageService, startStorageService, withStorage } from '#support/storage-service.ts'

const files = '/v2/storage/files'

describe('GET files', () => {
  let listing: StorageService
  const ids: number[] = []
  const listed = async (query: string) => {
    const { body } = await listing.call('GET', `${files}?${query}`)
    return body.map((file: { id: number }) => ids.indexOf(file.id))
  }

  beforeAll(async () => {
    const times = ['2026-05-30', '2026-05-31', '2026-06-30', '2026-07-16'].map(
      day => new Date(`${day}T12:00:00Z`),
    )
    let current = times[0] ?? new Date(0)
    listing = await startStorageService({ now: () => current })
    for (const [index, time] of times.entries()) {
      current = time
      const { body } = await listing.call(
        'POST',
        `${files}/prepare`,
        {
          name: `file-${index}.csv`,
          tags: index % 2 === 0 ? ['even', 'all'] : ['odd', 'all'],
          federationToken: 1,
          isPermanent: true,
        },
        { 'X-KBC-RunId': `run.${index}` },
      )
      ids.push(body.id)
    }
  })
  afterAll(() => listing.close())

  it.each([
    ['newest first, over months', '', [3, 2, 1, 0]],
    ['no more than the limit', 'limit=2', [3, 2]],
    ['the next page', 'limit=2&offset=2', [1, 0]],
    ['a page past the end', 'offset=10', []],
    ['files with one of the tags', 'tags[]=odd&tags[]=nothing', [3, 1]],
    ['files with one of two tags', 'tags[]=odd&tags[]=even', [3, 2, 1, 0]],
    ['what a search finds', 'q=tags:"even" AND name:file-2*', [2]],
    ['files of a run', 'runId=run.1', [1]],
  ])('lists %s', async (_what, query, expected) => {
    expect(await listed(query)).toEqual(expected)
  })

  it('lists files after and before an id', async () => {
    expect(await listed(`sinceId=${ids[1]}`)).toEqual([3, 2])
    expect(await listed(`maxId=${ids[2]}`)).toEqual([1, 0])
    expect(await listed(`sinceId=${ids[0]}&maxId=${ids[3]}`)).toEqual([2, 1])
    expect(await listed(`sinceId=${ids[3]}`)).toEqual([])
    expect(await listed('sinceId=0&maxId=1')).toEqual([])
  })

  it.each([
    ['limit=0', 'storage.validation'],
    ['limit=x', 'storage.validation'],
    ['offset=-1', 'storage.validation'],
  ])('refuses %s as %s', async (query, code) => {
    const { status, body } = await listing.call('GET', `${files}?${query}`)
    expect([status, body.code]).toEqual([400, code])
  })

  it('hides files whose time is over, unless asked for them', async () => {
    let current = new Date('2026-07-01T00:00:00Z')
    const aging = await withStorage({ now: () => current })
    await aging.call('POST', `${files}/prepare`, { name: 'old.csv', federationToken: 1 })
    current = new Date('2026-07-20T00:00:00Z')
    expect((await aging.call('GET', files)).body).toEqual([])
    expect((await aging.call('GET', `${files}?showExpired=1`)).body).toHaveLength(1)
  })
})
