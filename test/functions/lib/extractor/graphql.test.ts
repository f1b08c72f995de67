import { describe, expect, it } from 'vitest'
import type { Answer } from './api-server.ts'
import { rowCount, runExtraction, type Settings } from './run-extraction.ts'

const QUERY =
  'query ($after: String) { orders(first: 2, after: $after) { nodes { id } pageInfo { hasNextPage endCursor } } }'

/** As real ones are: checks the query, gives pages of two of five orders by opaque cursors, and says errors with status 200. */
const api: Answer = ({ method, body }) => {
  const { query, variables = {} } = JSON.parse(body)
  if (method !== 'POST' || query !== QUERY) return { errors: [{ message: 'Syntax Error' }] }
  const { after } = variables
  const at = after === undefined ? 0 : Number(Buffer.from(after, 'base64').toString()) + 1
  const nodes = [0, 1, 2, 3, 4].slice(at, at + 2).map(id => ({ id }))
  const last = nodes.at(-1)?.id ?? 0
  const pageInfo = { hasNextPage: last < 4, endCursor: Buffer.from(String(last)).toString('base64') }
  return { data: { orders: { nodes, pageInfo } } }
}

const job = (more: object = {}): Settings => ({
  api: { pagination: { method: 'graphql' } },
  config: {
    jobs: [
      {
        endpoint: 'graphql',
        dataType: 'orders',
        dataField: 'data.orders.nodes',
        graphql: { query: QUERY },
        ...more,
      },
    ],
  },
})

const failing = async (answer: Answer, settings: Settings) => {
  const { error } = await runExtraction(answer, settings)
  return { code: (error as { code?: string } | undefined)?.code, message: error?.message }
}

describe('a GraphQL job', () => {
  it('reads all pages, each once', async () => {
    const { tables, requests, result } = await runExtraction(api, job())
    expect(tables['orders']).toBe('"id"\n"0"\n"1"\n"2"\n"3"\n"4"\n')
    expect(requests.map(({ body }) => JSON.parse(body).variables)).toEqual([
      undefined,
      { after: 'MQ==' },
      { after: 'Mw==' },
    ])
    expect(result?.summary.jobs[0]?.ended).toEqual({ 'the page info says no "hasNextPage"': 1 })
  })

  it('fails for errors with status 200, and shows no secret in them', async () => {
    const answer: Answer = () => ({
      errors: [{ message: 'not for s3cr3t-token' }],
      data: { orders: { nodes: [] } },
    })
    const { config } = job({ graphql: { query: QUERY, variables: { token: { attr: '#token' } } } })
    expect(await failing(answer, { config: { ...config, '#token': 's3cr3t-token' } })).toEqual({
      code: 'extractor.response.graphql',
      message: "GraphQL errors from 'graphql': not for ***",
    })
  })

  it('fails for errors without data also where they may be warnings', async () => {
    const answer: Answer = () => ({ errors: [{ message: 'down' }] })
    const lenient = job({ graphql: { query: QUERY, errors: 'warn' } })
    expect((await failing(answer, lenient)).code).toBe('extractor.response.graphql')
  })

  it('tries again what an error rule names', async () => {
    let calls = 0
    const answer: Answer = (request, response) =>
      ++calls === 1
        ? { errors: [{ message: 'slow', extensions: { code: 'THROTTLED' } }] }
        : api(request, response)
    const when = { status: 200, body: { path: 'errors.0.extensions.code', equals: 'THROTTLED' } }
    const { config, api: settings } = job()
    const { tables } = await runExtraction(answer, {
      config: config ?? {},
      api: { ...settings, http: { errorRules: [{ when, do: 'retry', wait: 0 }] } },
    })
    expect(rowCount(tables['orders'])).toBe(5)
  })

  it.each([
    ['no cursor', { hasNextPage: true }],
    ['the same cursor', { hasNextPage: true, endCursor: 'c' }],
  ])('fails where more is said to follow with %s', async (_, pageInfo) => {
    let id = 0
    const answer: Answer = () => ({ data: { orders: { nodes: [{ id: ++id }], pageInfo } } })
    expect((await failing(answer, job())).code).toBe('extractor.pagination.graphql')
  })

  it('asks which of several connections has the pages', async () => {
    const pageInfo = { hasNextPage: false }
    const answer: Answer = () => ({ data: { orders: { nodes: [{ id: 1 }], pageInfo }, shops: { pageInfo } } })
    const { message } = await failing(answer, job())
    expect(message).toContain('data.orders.pageInfo, data.shops.pageInfo')
  })

  it.each([
    ['params', { params: { a: 1 } }],
    ['a form', { method: 'FORM' }],
    ['no dataField', { dataField: undefined }],
  ])('is refused with %s', async (_, more) => {
    expect((await failing(api, job(more))).code).toBe('extractor.config.invalid')
  })
})
