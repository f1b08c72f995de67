import { describe, expect, it } from 'vitest'
import type { ApiRequest } from '../api-server.ts'
import { runExtraction } from '../run-extraction.ts'
import { runInLegs } from '../run-in-legs.ts'

const api = { pagination: { method: 'offset', limit: 2 } }

const job = (completeness: unknown) => ({
  jobs: [{ endpoint: 'items', dataField: 'rows', primaryKey: ['id'], completeness }],
})

/** An API that has `all` rows, and says `total`, or what it says on each page. */
const listing =
  (all: number, total: unknown, at = 'total') =>
  ({ query }: ApiRequest) => {
    const from = Number(query.get('offset'))
    const rows = Array.from({ length: Math.max(0, Math.min(2, all - from)) }, (_, row) => ({
      id: from + row,
    }))
    return { rows, [at]: Array.isArray(total) ? total[from / 2] : total }
  }

const warningsOf = async (answer: ReturnType<typeof listing>, completeness: unknown = 'warn') => {
  const { result, error } = await runExtraction(answer, { api, config: job(completeness) })
  expect(error).toBeUndefined()
  return result?.finished === true ? result.warnings : []
}

describe('completeness', () => {
  it.each([
    ['as many rows as the API says', 5, 5, []],
    ['as many as a text says', 5, '5', []],
    ['fewer rows', 5, 7, ['5 of 7 rows']],
    ['more rows', 5, 4, ['5 of 4 rows']],
    ['a total that changes', 5, [4, 4, 5], ['the API said 4 rows on page 1 and 5 on page 3']],
    ['no total', 5, 'many', ['nothing shows whether it is complete: the API said no total']],
  ])('compares %s', async (_, all, total, findings) => {
    expect(await warningsOf(listing(all, total))).toEqual(
      findings.map(finding => `Completeness of job 'items': ${finding}.`),
    )
  })

  it('fails where it has to be complete, in legs as in one go', async () => {
    const settings = { api, config: job('fail') }
    const { error, tables } = await runExtraction(listing(5, 6), settings)
    expect(error).toMatchObject({ code: 'extractor.job.incomplete', params: { findings: ['5 of 6 rows'] } })
    expect(tables).toEqual({})
    await expect(runInLegs(listing(5, 6), settings, 1)).rejects.toMatchObject({
      code: 'extractor.job.incomplete',
    })
  })

  it('counts the pages of all legs', async () => {
    const settings = { api, config: job('fail') }
    const [whole, legs] = [
      await runInLegs(listing(5, 5), settings, Number.POSITIVE_INFINITY),
      await runInLegs(listing(5, 5), settings, 1),
    ]
    expect(legs).toMatchObject({ tables: whole.tables, jobs: whole.jobs })
    expect(legs.jobs).not.toMatchObject([{ said: {} }])
  })

  it('reads the total where the configuration says, and nowhere else', async () => {
    const answer = listing(5, 5, 'all')
    expect(await warningsOf(answer, { mode: 'warn', total: 'all' })).toEqual([])
    expect(await warningsOf(answer)).toHaveLength(1)
  })

  it('compares nothing that the configuration cuts short, and says so', async () => {
    const { result } = await runExtraction(listing(5, 5), {
      api: { pagination: { ...api.pagination, forceStop: { pages: 1 } } },
      config: job('fail'),
    })
    expect(result).toMatchObject({
      warnings: [expect.stringContaining('not checked: Force stopping')],
      summary: { jobs: [{ said: { times: 1 } }] },
    })
  })
})
