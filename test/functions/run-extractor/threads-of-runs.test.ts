import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Extraction, startExtraction } from '../../support/extraction.ts'
import { type ApiServer, startApi } from '../lib/extractor/api-server.ts'

/** Enough for another thread to start, and more. */
const ROWS = 6000
const PAGE = 400
const NOTE = 'long enough that pages are worth a thread; '.repeat(20)

let extraction: Extraction
let api: ApiServer

beforeAll(async () => {
  extraction = await startExtraction()
  api = await startApi(async ({ query }) => {
    const offset = Number(query.get('offset'))
    return Array.from({ length: Math.min(PAGE, ROWS - offset) }, (_, index) => ({
      id: offset + index,
      note: `${NOTE}${offset + index}`,
      tags: [`t${offset + index}`],
    }))
  })
})

afterAll(async () => {
  await api?.close()
  await extraction?.close()
})

/** Threads that a run started, and checksums of what it loaded. */
const run = async (configId: string, threads: number) => {
  const config = { outputBucket: configId, jobs: [{ endpoint: 'items' }] }
  await extraction.service.call('POST', '/v2/storage/components/ex-generic-v2/configs', {
    configurationId: configId,
    name: configId,
    configuration: {
      parameters: {
        api: { baseUrl: `${api.origin}/`, pagination: { method: 'offset', limit: PAGE } },
        config,
      },
    },
  })
  let started = 0
  const count = () => {
    started += 1
  }
  process.on('worker', count)
  try {
    const { end } = await extraction.run(configId, { settings: { threads } })
    expect(end.result).toMatchObject({ status: 'success' })
  } finally {
    process.off('worker', count)
  }
  const previews = await Promise.all(
    ['items', 'items_tags'].map(async table => {
      const path = `/v2/storage/tables/in.c-${configId}.${table}`
      const { body } = await extraction.service.call('GET', path)
      const rows = await extraction.service.call('GET', `${path}/data-preview?limit=1000`)
      return { columns: body.columns, count: body.rowsCount, rows: rows.body }
    }),
  )
  return { started, previews }
}

it('a run uses the threads that its function has, and loads the same tables with them', async () => {
  const one = await run('one', 1)
  const two = await run('two', 2)
  expect([one.started, two.started]).toEqual([0, 1])
  expect(one.previews.map(({ count }) => count)).toEqual([ROWS, ROWS])
  expect(two.previews).toEqual(one.previews)
})
