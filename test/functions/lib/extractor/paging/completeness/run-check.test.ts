import { describe, expect, it } from 'vitest'
import { pageFacts } from '#lib/extractor/paging/completeness/page-facts.ts'
import { RunCheck } from '#lib/extractor/paging/completeness/run-check.ts'
import { parseJson } from '#lib/json/parse-json.ts'
import type { Answer } from '../../api-server.ts'
import { runExtraction } from '../../run-extraction.ts'

const page = (body: string, headers: Record<string, string> = {}) => {
  const response = parseJson(body)
  const items = (response as { rows: [] }).rows ?? response // as the bodies below are
  return { response, items, headers, url: '' }
}

const facts = (
  job: object,
  body: string,
  headers: Record<string, string> = {},
  more: { given?: Record<string, string>; limitField?: string } = {},
) =>
  pageFacts({ endpoint: 'a', completeness: 'warn', ...job }, page(body, headers), {
    given: more.given ?? {},
    limitField: more.limitField,
  })

describe('what a page says', () => {
  it.each([
    ['in total', '{"total": 7, "rows": []}', {}, 7],
    ['in totalCount, as text', '{"totalCount": "7", "rows": []}', {}, 7],
    ['in total_count', '{"total_count": 7, "rows": []}', {}, 7],
    ['in meta.total', '{"meta": {"total": 7}, "rows": []}', {}, 7],
    ['in the usual header first', '{"total": 7, "rows": []}', { 'x-total-count': '9' }, 9],
    ['not by a sum of money', '{"total": 12.50, "rows": []}', {}, undefined],
    ['not at all', '[]', {}, undefined],
  ])('finds the total %s', (_, body, headers, total) => {
    expect(facts({}, body, headers as Record<string, string>).total).toBe(total)
  })

  it('finds it where the job or a stop rule says, and nowhere else', () => {
    const body = '{"total": 1, "count": 7, "rows": []}'
    expect(facts({ completeness: { mode: 'warn', total: 'count' } }, body).total).toBe(7)
    expect(facts({ completeness: { mode: 'warn', total: 'none' } }, body).total).toBeUndefined()
    expect(facts({}, body, {}, { limitField: 'count' }).total).toBe(7)
    const ofHeader = { completeness: { mode: 'warn', total: { header: 'Content-Range' } } }
    expect(facts(ofHeader, body, { 'content-range': 'items 0-24/319' }).total).toBe(319)
    expect(facts(ofHeader, body, { 'content-range': 'items 0-24/*' }).total).toBeUndefined()
  })

  it('takes ids from the primary key without what the run adds to each row, or from paths', () => {
    const body = '[{"no": 1, "at": {"shop": "x"}}, {"no": 12345678901234567890, "at": {}}, {"no": {}}, 5]'
    expect(facts({}, body).ids).toBeUndefined()
    expect(facts({ primaryKey: ['no', 'parent_id'] }, body, {}, { given: { parent_id: '4' } }).ids).toEqual([
      '1',
      '12345678901234567890',
      null,
      null,
    ])
    expect(facts({ completeness: { mode: 'warn', id: ['no', 'at.shop'] } }, body).ids).toEqual([
      '["1","x"]',
      null,
      null,
      null,
    ])
  })
})

describe('what a run lacks', () => {
  const said = (...pages: Parameters<RunCheck['add']>[0][]): string[] => {
    const check = new RunCheck(0, 4)
    for (const one of pages) check.add(one)
    return [...check.findings(), ...check.limits()]
  }

  it.each<[string, Parameters<RunCheck['add']>[0][], string[]]>([
    ['nothing, by its total', [{ rows: 2, total: 3 }, { rows: 1 }], []],
    ['rows', [{ rows: 1980, total: 2000 }], ['1,980 of 2,000 rows']],
    [
      'rows, of which some came twice',
      [
        { rows: 2, total: 3, ids: ['a', 'b'] },
        { rows: 1, ids: ['b'] },
      ],
      ['2 of 3 rows', 'pages 1 and 2 share 1 id: rows moved while they were read'],
    ],
    ['a row that is on one page twice', [{ rows: 2, ids: ['a', 'a'] }], ['page 1 has 1 id more than once']],
    ['ids', [{ rows: 2, ids: [null, null] }], ['2 rows have no id']],
    [
      'any way to compare',
      [{ rows: 2 }],
      ['nothing shows whether it is complete: the API said no total, and no ids were compared'],
    ],
    [
      'memory for more ids',
      [
        { rows: 5, total: 5, ids: ['a', 'b', 'c', 'd', 'e'] },
        { rows: 0, ids: [] },
      ],
      ['more than 4 ids: rows that came twice were not looked for'],
    ],
  ])('says that it lacks %s', (_, pages, findings) => {
    expect(said(...pages)).toEqual(findings)
  })

  it('names five pairs of pages and counts the rest', () => {
    const pages = Array.from({ length: 8 }, () => ({ rows: 1, ids: ['a'] }))
    expect(said(...pages)).toHaveLength(6)
    expect(said(...pages).at(-1)).toBe('2 more pairs of pages share ids')
  })
})

describe('a job that is checked', () => {
  const orders: Answer = ({ path }) =>
    path === '/shops'
      ? [{ id: 'x' }, { id: 'y' }]
      : { total: path === '/x/orders' ? 2 : 3, orders: [{ no: 1 }, { no: 2 }] }
  const jobs = [
    {
      endpoint: 'shops',
      children: [
        {
          endpoint: '{id}/orders',
          dataType: 'orders',
          placeholders: { id: 'id' },
          primaryKey: 'no,parent_id',
          completeness: 'warn',
        },
      ],
    },
  ]

  it('is checked for each parent row on its own', async () => {
    const { result } = await runExtraction(orders, { config: { jobs } })
    expect(result?.finished && result.warnings).toEqual(["Completeness of job 'y/orders': 2 of 3 rows."])
    expect(result?.summary.jobs[1]?.completeness).toMatchObject({ complete: 1, incomplete: 1, notChecked: 0 })
  })

  it('is compared when its answers are not JSON', async () => {
    const csv: Answer = (_, response) => {
      response.setHeader('content-type', 'text/csv')
      response.setHeader('X-Total-Count', '4')
      response.end('id\n1\n2\n2\n')
    }
    const { result, error } = await runExtraction(csv, {
      config: {
        jobs: [{ endpoint: 'items', response: { format: 'csv' }, primaryKey: 'id', completeness: 'warn' }],
      },
    })
    expect(error).toBeUndefined()
    expect(result?.finished && result.warnings).toEqual([
      "Completeness of job 'items': 2 of 4 rows; page 1 has 1 id more than once.",
    ])
  })

  it('is not checked in a preview', async () => {
    const { result } = await runExtraction(orders, { config: { jobs }, options: { maxRows: 1 } })
    expect(result?.finished && result.warnings).toEqual([])
    expect(result?.summary.jobs[1]).not.toHaveProperty('completeness')
  })

  const three = [{ id: 1 }, { id: 2 }, { id: 3 }]
  const pageOf: Answer = ({ query, headers }, response) => {
    const page = Number(query.get('page') ?? Number(query.get('offset') ?? 0) / 2 + 1)
    if (page === 1) response.setHeader('Link', `<http://${headers.host}/items?page=2>; rel="next"`)
    const rows = three.slice((page - 1) * 2, page * 2)
    return { rows, more: page === 1, ...(page === 1 ? { next: 2 } : {}), count: 3 }
  }
  const stop = { forceStop: { pages: 2 } }

  it.each<[string, object]>([
    ['a page that is not full', { method: 'offset', limit: 2, ...stop }],
    ['a numbered page that is not full', { method: 'pagenum', limit: 2, ...stop }],
    ['no link to a next page', { method: 'header-link', ...stop }],
    ['no cursor', { method: 'json-cursor', param: 'page', cursorPath: 'next', ...stop }],
    [
      'no value of the next page',
      { method: 'response.param', responseParam: 'next', queryParam: 'page', ...stop },
    ],
    ['a flag', { method: 'pagenum', nextPageFlag: { field: 'more', stopOn: false }, ...stop }],
    [
      'a flag above several paginations',
      {
        method: 'multiple',
        default: 'a',
        scrollers: { a: { method: 'pagenum', ...stop } },
        nextPageFlag: { field: 'more', stopOn: false },
      },
    ],
    [
      'the limit of items, in a page that is not full',
      { method: 'offset', limit: 2, limitStop: { count: 3 } },
    ],
  ])('is compared when a limit is reached with the last page, as shown by %s', async (_, pagination) => {
    const { result, requests } = await runExtraction(pageOf, {
      api: { pagination },
      config: { jobs: [{ endpoint: 'items', primaryKey: 'id', completeness: 'warn' }] },
    })
    expect(result?.finished && result.warnings).toEqual([])
    expect(result?.summary.jobs[0]?.completeness).toMatchObject({ complete: 1, notChecked: 0 })
    expect(requests).toHaveLength(2)
  })

  it('is compared when a limit is reached with the total', async () => {
    const { result, requests } = await runExtraction(() => ({ total: 3, rows: three }), {
      api: { pagination: { method: 'pagenum', forceStop: { pages: 1 } } },
      config: { jobs: [{ endpoint: 'items', completeness: 'fail' }] },
    })
    expect(result?.summary.jobs[0]?.completeness).toMatchObject({ complete: 1 })
    expect(requests).toHaveLength(1)
  })

  it.each<[string, object, Answer]>([
    ['a full page', { method: 'offset', limit: 3, forceStop: { pages: 1 } }, () => ({ rows: three })],
    [
      'a page without a total that would end it',
      { method: 'pagenum', limitStop: { field: 'total' } },
      () => three,
    ],
    [
      'a page from which no next one can be worked out',
      { method: 'cursor', idKey: 'no', param: 'since', forceStop: { pages: 1 } },
      () => three,
    ],
    [
      'a cursor that does not move',
      { method: 'json-cursor', param: 'page', cursorPath: 'next', ...stop },
      ({ query }) => ({ next: 5, rows: query.has('page') ? three : [] }),
    ],
  ])('is not compared when a limit is reached with %s', async (_, pagination, answer) => {
    const { result, error } = await runExtraction(answer, {
      api: { pagination },
      config: { jobs: [{ endpoint: 'items', completeness: { mode: 'fail', id: 'id' } }] },
    })
    expect(error).toBeUndefined()
    expect(result?.summary.jobs[0]?.completeness).toMatchObject({ complete: 0, notChecked: 1 })
  })

  it('is not compared where the configuration itself cuts it off, and says so', async () => {
    const { result, error } = await runExtraction(() => ({ total: 9, rows: [{ id: 1 }] }), {
      api: { pagination: { method: 'pagenum', forceStop: { pages: 1 } } },
      config: { jobs: [{ endpoint: 'items', completeness: 'fail' }] },
    })
    expect(error).toBeUndefined()
    expect(result?.finished && result.warnings).toEqual([
      "Completeness of job 'items': not checked: Force stopping: page limit reached (1 pages).",
    ])
  })
})
