import { expect, it } from 'vitest'
import type { Answer } from '../api-server.ts'
import { type Extraction, runExtraction } from '../run-extraction.ts'

const PAGES = 6
const ROWS = 5

const rows = (page: number): Record<string, unknown>[] =>
  Array.from({ length: page < PAGES ? ROWS : 0 }, (_, index) => ({
    id: page * ROWS + index,
    text: `said "${index}"\n`,
    at: { x: index / 8 },
    tags: [`t${index}`, page],
  }))

const urls = ({ requests }: Extraction): string[] => requests.map(({ url }) => url)

const pageOf = (query: URLSearchParams): number => Number(query.get('page') ?? 0)

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
    const found = await runExtraction(answer, { api: { pagination: { method: 'pagenum' } } })
    expect(found.tables['items']?.trim().split('\n')).toHaveLength(1 + 4 * ROWS)
    expect(urls(found)).toEqual(['/items?page=1', '/items?page=2', '/items?page=3'])
  }
})

it('says that a page is no JSON, and asks for no more', async () => {
  const answer: Answer = ({ query }, response) => {
    const text = JSON.stringify(rows(pageOf(query) - 1))
    response.end(pageOf(query) === 3 ? text.slice(0, -1) : text)
  }
  const found = await runExtraction(answer, { api: { pagination: { method: 'pagenum' } } })
  expect(found.error).toMatchObject({ code: 'extractor.response.json' })
  expect(urls(found)).toHaveLength(3)
})

it('says that an item has no id', async () => {
  const answer: Answer = ({ query }) =>
    query.get('since') === '9'
      ? [...rows(2), { text: 'x', at: { x: 1 }, tags: [] }]
      : rows(query.has('since') ? 1 : 0)
  const found = await runExtraction(answer, {
    api: { pagination: { method: 'cursor', idKey: 'id', param: 'since' } },
  })
  expect(found.error).toMatchObject({ code: 'extractor.pagination.cursor' })
})
