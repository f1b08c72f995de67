import { expect, it } from 'vitest'
import type { Answer } from '../api-server.ts'
import { type Extraction, runExtraction, type Settings } from '../run-extraction.ts'

const PAGES = 6
const ROWS = 5

const rows = (page: number): Record<string, unknown>[] =>
  Array.from({ length: page < PAGES ? ROWS : 0 }, (_, index) => ({
    id: page * ROWS + index,
    text: `said "${index}"\n`,
    at: { x: index / 8 },
    tags: [`t${index}`, page],
  }))

/** With a limit of rows that is never reached all pages are parsed. */
const parsed = { maxRows: 1_000_000 }

const both = async (answer: Answer, settings: Settings): Promise<[bytes: Extraction, values: Extraction]> => [
  await runExtraction(answer, settings),
  await runExtraction(answer, { ...settings, options: { ...settings.options, ...parsed } }),
]

const urls = ({ requests }: Extraction): string[] => requests.map(({ url }) => url)

const pageOf = (query: URLSearchParams): number => Number(query.get('page') ?? 0)

const paginations: {
  name: string
  api: Record<string, unknown>
  job?: Record<string, unknown>
  answer: Answer
}[] = [
  {
    name: 'by offset',
    api: { method: 'offset', limit: ROWS },
    answer: ({ query }) => rows(Number(query.get('offset')) / ROWS),
  },
  {
    name: 'by page number and a flag',
    api: { method: 'pagenum', firstPage: 0, nextPageFlag: { field: 'more', stopOn: false } },
    answer: ({ query }) => ({ items: rows(pageOf(query)), more: pageOf(query) < 3 }),
  },
  {
    name: 'by the largest id',
    api: { method: 'cursor', idKey: 'id', param: 'since', increment: 1 },
    answer: ({ query }) => rows(Number(query.get('since') ?? 0) / ROWS),
  },
  {
    name: 'by the largest value of a nested field',
    api: { method: 'json-cursor', idKey: 'at.x', param: 'page', type: 'number' },
    answer: ({ query }) => (query.has('page') ? [] : rows(0)),
  },
  {
    name: 'by an address in the response',
    api: { method: 'response.url', urlKey: 'links.next' },
    job: { dataField: 'result.rows' },
    answer: ({ query }) => {
      const page = pageOf(query)
      return { links: { next: page < 3 ? `/items?page=${page + 1}` : null }, result: { rows: rows(page) } }
    },
  },
  {
    name: 'by a value of the last item of the response',
    api: { method: 'response.param', responseParam: 'items.4.id', queryParam: 'since' },
    answer: ({ query }) => ({ items: rows((Number(query.get('since') ?? -1) + 1) / ROWS) }),
  },
]

for (const { name, api, job, answer } of paginations) {
  it(`asks for the same pages and writes the same tables from bytes as from values: ${name}`, async () => {
    const settings = { api: { pagination: api }, config: { jobs: [{ endpoint: 'items', ...job }] } }
    const [bytes, values] = await both(answer, settings)
    expect(values.error).toBeUndefined()
    expect(bytes.tables).toEqual(values.tables)
    expect(urls(bytes)).toEqual(urls(values))
    expect(bytes.result?.summary.jobs).toEqual(values.result?.summary.jobs)
    expect(bytes.tables['items']?.split('\n').length).toBeGreaterThan(ROWS)
  })
}

it('ends when a page comes again, in other words too', async () => {
  const forms = [
    JSON.stringify(rows(1)),
    ` ${JSON.stringify(rows(1), null, 2)}`,
    JSON.stringify(rows(1)).replaceAll('said', '\\u0073aid'),
  ]
  for (const form of forms) {
    const answer: Answer = ({ query }, response) => {
      response.end(pageOf(query) < 3 ? JSON.stringify(rows(pageOf(query) - 1)) : form)
    }
    const [bytes, values] = await both(answer, { api: { pagination: { method: 'pagenum' } } })
    expect(bytes.tables).toEqual(values.tables)
    expect(urls(bytes)).toEqual(['/items?page=1', '/items?page=2', '/items?page=3'])
    expect(urls(values)).toEqual(urls(bytes))
  }
})

it('says the same of a page that is no JSON, at the same page', async () => {
  const answer: Answer = ({ query }, response) => {
    const text = JSON.stringify(rows(pageOf(query) - 1))
    response.end(pageOf(query) === 3 ? text.slice(0, -1) : text)
  }
  const [bytes, values] = await both(answer, { api: { pagination: { method: 'pagenum' } } })
  expect(bytes.error).toMatchObject({ code: 'extractor.response.json' })
  expect(bytes.error).toEqual(values.error)
  expect(urls(bytes)).toEqual(urls(values))
})

it('says the same of an item without an id', async () => {
  const answer: Answer = ({ query }) =>
    query.get('since') === '9'
      ? [...rows(2), { text: 'x', at: { x: 1 }, tags: [] }]
      : rows(query.has('since') ? 1 : 0)
  const [bytes, values] = await both(answer, {
    api: { pagination: { method: 'cursor', idKey: 'id', param: 'since' } },
  })
  expect(bytes.error).toMatchObject({ code: 'extractor.pagination.cursor' })
  expect(bytes.error).toEqual(values.error)
})
