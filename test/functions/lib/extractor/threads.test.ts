import { expect, it } from 'vitest'
import { UserError } from '#lib/errors/errors.ts'
import type { Answer } from './api-server.ts'
import { runExtraction, type Settings } from './run-extraction.ts'
import { runInLegs } from './run-in-legs.ts'

const PAGES = 24
const ROWS = 20
/** So that threads pay after a third of the pages. */
const filling = 'x'.repeat(400_000)

/** Rows with a nested list and object, exact numbers and, now and then, keys that only later pages have. */
const answer: Answer = ({ query }) => {
  const page = Number(query.get('page'))
  if (page > PAGES) return []
  return Array.from({ length: ROWS }, (_, index) => ({
    id: page * ROWS + index,
    amount: index / 8,
    text: index === 0 ? filling : `said "${index}"\n`,
    at: { x: index },
    tags: index % 3 === 0 ? null : [`t${index}`, page],
    ...(page % 17 === 16 ? { [`late${page}`]: index } : {}),
  }))
}

const settings = (threads: number): Settings => ({
  api: { pagination: { method: 'pagenum' } },
  options: { threads, now: () => 1_700_000_000 },
})

it('gives the same tables, state and summary with two threads as with one', async () => {
  const [one, two] = [await runExtraction(answer, settings(1)), await runExtraction(answer, settings(2))]
  expect(two.tables).toEqual(one.tables)
  expect(two.result).toEqual({
    ...one.result,
    tables: (one.result?.finished ? one.result.tables : []).map(table => ({
      ...table,
      file: expect.any(String),
    })),
  })
  expect(two.logs).toEqual(one.logs)
  expect(Object.keys(one.tables)).toEqual(['items', 'items_tags'])
})

it('stops and resumes with two threads as with one', async () => {
  const one = await runInLegs(answer, settings(1), PAGES + 2)
  const two = await runInLegs(answer, settings(2), 14)
  expect(two.legs).toBeGreaterThan(1)
  expect(two.tables).toEqual(one.tables)
  expect(two.state).toEqual(one.state)
  expect(two.jobs).toEqual(one.jobs)
})

it('knows the keys of all rows with two threads as with one', async () => {
  const job = { endpoint: 'items', primaryKey: ['id'], completeness: 'warn', deletions: 'column' }
  const keySets = { items: { columns: ['id'], given: [], keys: [['7'], ['20'], ['499']] } }
  const marking = (threads: number): Settings => ({
    ...settings(threads),
    config: { jobs: [job] },
    options: { ...settings(threads).options, state: { millrace: { keySets } } },
  })
  const [one, two] = [await runExtraction(answer, marking(1)), await runExtraction(answer, marking(2))]
  expect(two.result?.summary.jobs).toMatchObject([{ rows: PAGES * ROWS, deleted: 1 }])
  expect(two.tables).toEqual(one.tables)
  expect(two.result?.finished && two.result.state).toEqual(one.result?.finished && one.result.state)
})

it('fails with the same error at the same page', async () => {
  const conflicting: Answer = (request, response) =>
    Number(request.query.get('page')) === 20
      ? [
          { id: { now: 'an object' } },
          ...(answer({ ...request, query: new URLSearchParams('page=1') }, response) as unknown[]),
        ]
      : answer(request, response)
  const [one, two] = [
    await runExtraction(conflicting, settings(1)),
    await runExtraction(conflicting, settings(2)),
  ]
  expect(one.error).toBeInstanceOf(UserError)
  expect(two.error).toEqual(one.error)
  expect((two.error as UserError).params).toEqual((one.error as UserError).params)
  expect(two.tables).toEqual({})
})
