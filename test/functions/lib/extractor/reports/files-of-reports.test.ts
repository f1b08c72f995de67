import { describe, expect, it } from 'vitest'
import type { Answer } from '../api-server.ts'
import { runExtraction, type Settings } from '../run-extraction.ts'
import { runInLegs } from '../run-in-legs.ts'

describe('a report in several files', () => {
  const settings = (more: object = {}, pagination?: object, job: object = {}): Settings => ({
    ...(pagination === undefined ? {} : { api: { pagination } }),
    config: {
      jobs: [
        {
          endpoint: 'make',
          method: 'POST',
          dataType: 'rows',
          ...job,
          report: {
            ...{ poll: { endpoint: 'state/{id}' }, status: 'state', ready: ['done'], failed: ['bad'] },
            ...{ download: { endpoint: '{files}' }, interval: 0.005, backoff: 1 },
            ...more,
          },
        },
      ],
    },
  })

  const answer =
    (files: readonly string[]): Answer =>
    ({ method, path, query }) =>
      method === 'POST'
        ? { id: 1 }
        : path.startsWith('/state')
          ? { state: 'done', files }
          : (query.get('page') ?? '1') > '2'
            ? []
            : [{ id: path === '/b' ? 'b' : 'a', page: query.get('page') ?? '' }]

  it('reads each, also one that equals the one before, in legs too', async () => {
    for (const pages of [Number.POSITIVE_INFINITY, 1]) {
      const { tables } = await runInLegs(answer(['a', 'a?again=1', 'b']), settings(), pages)
      expect(tables['rows']).toBe('"id","page"\n"a",""\n"a",""\n"b",""\n')
    }
  })

  it('reads the pages of each', async () => {
    const given = settings({}, { method: 'pagenum' })
    const whole = await runInLegs(answer(['a', 'b']), given, Number.POSITIVE_INFINITY)
    expect(whole.tables['rows']).toBe('"id","page"\n"a","1"\n"a","2"\n"b","1"\n"b","2"\n')
    const legs = await runInLegs(answer(['a', 'b']), given, 1)
    expect(legs).toMatchObject({ tables: whole.tables, requests: whole.requests })
  })

  it('reads each in passes until nothing moves', async () => {
    const given = settings({}, undefined, { completeness: { mode: 'repair', id: 'id' } })
    const { tables } = await runInLegs(answer(['a', 'b']), given, Number.POSITIVE_INFINITY)
    expect(tables['rows']).toBe('"id","page"\n"a",""\n"b",""\n')
  })

  it('without any has no rows', async () => {
    const { tables, requests } = await runInLegs(answer([]), settings(), Number.POSITIVE_INFINITY)
    expect([tables, requests.length]).toEqual([{}, 2])
  })

  it.each([
    [1, 1],
    [2, 2],
    [3, 2],
  ])('is asked for %d times at most', async (attempts, made) => {
    let count = 0
    const { result, error, requests } = await runExtraction(request => {
      if (request.method === 'POST') count++
      const isBad = request.path.startsWith('/state') && count === 1
      return isBad ? { state: 'bad' } : answer(['a'])(request, undefined as never)
    }, settings({ attempts }))
    expect(requests.filter(({ method }) => method === 'POST')).toHaveLength(made)
    expect(error === undefined && result?.finished).toBe(attempts > 1)
  })
})
