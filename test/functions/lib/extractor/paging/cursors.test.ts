import { describe, expect, it } from 'vitest'
import type { ApiRequest } from '../api-server.ts'
import { runExtraction } from '../run-extraction.ts'
import { runInLegs } from '../run-in-legs.ts'

const connection = {
  method: 'json-cursor',
  param: 'variables.after',
  cursorPath: 'data.orders.pageInfo.endCursor',
  nextPageFlag: { field: 'data.orders.pageInfo.hasNextPage', stopOn: false },
}

const query = 'query ($first: Int, $after: String) { orders(first: $first, after: $after) { nodes { id } } }'

const orders = {
  endpoint: 'graphql',
  method: 'POST',
  dataType: 'orders',
  dataField: 'data.orders.nodes',
  params: { query, variables: { first: 1, filter: { state: 'paid' } } },
}

/** Three pages of one order each. The last one has a cursor, too. */
const graphqlApi = ({ body }: ApiRequest) => {
  const { variables } = JSON.parse(body)
  const page = Number(variables.after ?? 0) + 1
  const pageInfo = { hasNextPage: page < 3, endCursor: String(page) }
  return { data: { orders: { nodes: [{ id: page }], pageInfo } } }
}

describe('a cursor in the body', () => {
  it('goes to a path, and leaves the rest of the body as it is', async () => {
    const { tables, requests } = await runExtraction(graphqlApi, {
      api: { pagination: connection },
      config: { jobs: [orders] },
    })
    expect(tables['orders']).toBe('"id"\n"1"\n"2"\n"3"\n')
    expect(requests.map(({ body }) => JSON.parse(body))).toEqual([
      { query, variables: { first: 1, filter: { state: 'paid' } } },
      { query, variables: { first: 1, filter: { state: 'paid' }, after: '1' } },
      { query, variables: { first: 1, filter: { state: 'paid' }, after: '2' } },
    ])
  })

  it('makes the objects that are not there yet', async () => {
    const { requests } = await runExtraction(graphqlApi, {
      api: {
        pagination: { ...connection, param: 'variables.page.after', forceStop: { pages: 2 } },
      },
      config: { jobs: [{ ...orders, params: { query, variables: {} } }] },
    })
    expect(JSON.parse(requests[1]?.body ?? '{}')).toEqual({ query, variables: { page: { after: '1' } } })
  })

  it('goes on in the next leg', async () => {
    const settings = { api: { pagination: connection }, config: { jobs: [orders] } }
    const [whole, legs] = [
      await runInLegs(graphqlApi, settings, Number.POSITIVE_INFINITY),
      await runInLegs(graphqlApi, settings, 1),
    ]
    expect(legs).toMatchObject({ tables: whole.tables, requests: whole.requests })
  })

  it.each([
    ['a query has no paths', { endpoint: 'items' }, { 'page.after': 'x' }],
    [
      'nor has a param of just that name',
      { endpoint: 'items', method: 'POST', params: { 'page.after': 'w' } },
      {},
    ],
  ])('is a name where %s', async (_, job, inQuery) => {
    const answer = ({ query, body }: ApiRequest) =>
      query.has('page.after') || body.includes('"x"') ? [] : [{ at: 'x' }]
    const { requests } = await runExtraction(answer, {
      api: { pagination: { method: 'json-cursor', param: 'page.after', idKey: 'at' } },
      config: { jobs: [job] },
    })
    const last = requests.at(-1)
    expect(Object.fromEntries(last?.query ?? [])).toEqual(inQuery)
    if ('method' in job) expect(JSON.parse(last?.body ?? '')).toEqual({ 'page.after': 'x' })
  })
})

describe('nextPageFlag', () => {
  it.each([
    ['a property of the response', 'more', { more: false, inner: { more: true } }],
    ['a path', 'inner.more', { inner: { more: false } }],
    ['a property whose name has a dot', 'inner.more', { 'inner.more': false, inner: { more: true } }],
    ['nothing at a path', 'inner.more', { inner: {} }],
  ])('reads %s', async (_, field, beside) => {
    const { requests } = await runExtraction(() => ({ ...beside, items: [{ id: 1 }] }), {
      api: { pagination: { method: 'pagenum', nextPageFlag: { field, stopOn: false } } },
      config: { jobs: [{ endpoint: 'items', dataField: 'items' }], silence: 'allow' },
    })
    expect(requests).toHaveLength(1)
  })
})

describe('"take": "last"', () => {
  // In no order that anybody could compare
  const keys = ['m', 'z', 'a', 'k', 'b']
  const pages =
    (ids: readonly (string | number)[], name: string) =>
    ({ query }: ApiRequest) => {
      const from = ids.findIndex(id => String(id) === query.get(name)) + 1
      return ids.slice(from, from + 2).map(id => ({ id }))
    }

  it('carries the value of the last item in place of the largest', async () => {
    const pagination = { method: 'json-cursor', param: 'after', idKey: 'id', take: 'last' }
    const { tables, requests } = await runExtraction(pages(keys, 'after'), { api: { pagination } })
    expect(tables['items']).toBe(`"id"\n${keys.map(key => `"${key}"\n`).join('')}`)
    expect(requests.map(({ query }) => query.get('after'))).toEqual([null, 'z', 'k', 'b'])
  })

  it('does so with numbers, and with an increment', async () => {
    const pagination = { method: 'cursor', param: 'after', idKey: 'id', take: 'last' }
    const ids = [5, 9, 3, 7, 1]
    const { requests } = await runExtraction(pages(ids, 'after'), { api: { pagination } })
    expect(requests.map(({ query }) => query.get('after'))).toEqual([null, '9', '7', '1'])
    const { requests: shifted } = await runExtraction(
      ({ query }) => (query.has('after') ? [] : [{ id: 9 }, { id: 3 }]),
      { api: { pagination: { ...pagination, increment: 1 } } },
    )
    expect(shifted.at(-1)?.query.get('after')).toBe('4')
  })

  it.each([{ reverse: true }, { type: 'text' }, { idKey: undefined, cursorPath: 'next' }])(
    'is refused beside %j',
    async other => {
      const pagination = { method: 'json-cursor', param: 'after', idKey: 'id', take: 'last', ...other }
      const { error } = await runExtraction(() => [], { api: { pagination } })
      expect(error?.message).toContain('"take" goes with "idKey", and neither with "reverse" nor with "type"')
    },
  )
})
