import { describe, expect, it } from 'vitest'
import { withStorage } from '#support/storage-service.ts'

let made = 0
const service = await withStorage()

const configs = '/v2/storage/components/ex-generic-v2/configs'
const send = (method: string, path: string, body?: unknown) => service.call(method, `${configs}${path}`, body)

const configuration = (config: object = {}, api: object = {}, root: object = {}) => ({
  parameters: {
    api: { baseUrl: 'https://example.com/', ...api },
    config: { jobs: [{ endpoint: 'a' }], ...config },
  },
  ...root,
})

const create = (given: object) =>
  send('POST', '', { configurationId: `c${++made}`, name: 'Test', configuration: given })

/** A stored configuration; its id. */
const stored = async (given: object = configuration()): Promise<string> => {
  const { status, text, body } = await create(given)
  if (status !== 201) throw new Error(text)
  return body.id
}

const warningsOf = async (configId: string): Promise<string[]> => {
  const query = `component=ex-generic-v2&configurationId=${configId}`
  const { body } = await service.call('GET', `/v2/storage/events?${query}`)
  return body
    .filter((event: { event: string }) => event.event === 'storage.configurationDoubtful')
    .map((event: { message: string }) => event.message)
}

const changesOnly = { jobs: [{ endpoint: 'a', incremental: { idKey: 'id', param: 'since' } }] }

describe('a configuration that could never run', () => {
  const refused: [string, object, string, RegExp][] = [
    [
      'a pagination that nobody knows',
      configuration({}, { pagination: { method: 'nexturl' } }),
      'extractor.config.invalid',
      /"nexturl" \(known: offset, .*response\.url/,
    ],
    [
      'a misspelt pagination',
      configuration({}, { pagination: { method: 'ofset', limit: 1 } }),
      'extractor.config.invalid',
      /did you mean "offset"/,
    ],
    [
      'only changes without a key',
      configuration(changesOnly),
      'extractor.incremental.noKey',
      /"primaryKey": \["id"\]/,
    ],
    [
      'only changes since the last start without a key',
      configuration({ jobs: [{ endpoint: 'a', params: { since: { time: 'previousStart' } } }] }),
      'extractor.incremental.noKey',
      /"primaryKey": \["id"\]/,
    ],
    [
      'a schedule in words',
      configuration({}, {}, { schedule: 'every 5 minutes' }),
      'schedule.invalid',
      /write rate\(5 minutes\)/,
    ],
    [
      'a misspelt setting of a schedule',
      configuration({}, {}, { schedule: { expression: 'rate(1 hour)', timezon: 'UTC' } }),
      'schedule.invalid',
      /did you mean "timezone"/,
    ],
    [
      'a filter without an operator',
      configuration({ jobs: [{ endpoint: 'a', children: [{ endpoint: 'b', recursionFilter: 'id' }] }] }),
      'extractor.config.recursionFilter',
      /Please use one of/,
    ],
    [
      'a mapping without a destination',
      configuration({ mappings: { a: { id: {} } } }),
      'extractor.tables.badMapping',
      /destination/,
    ],
    [
      'a part that is wrong while the rest is still to come',
      { parameters: { api: { pagination: { method: 'nexturl' } } } },
      'extractor.config.invalid',
      /nexturl/,
    ],
  ]

  it.each(refused)('is refused by POST, PUT and PATCH: %s', async (_what, given, code, message) => {
    const refusal = { status: 400, body: { code, error: expect.stringMatching(message) } }
    expect(await create(given)).toMatchObject(refusal)
    const id = await stored()
    expect(await send('PUT', `/${id}`, { configuration: given })).toMatchObject(refusal)
    expect(await send('PATCH', `/${id}`, { configuration: given })).toMatchObject(refusal)
    expect((await send('GET', `/${id}`)).body).toMatchObject({ version: 1, configuration: configuration() })
  })

  it('is refused as a row, merged with its root; a row that is disabled may wait', async () => {
    const id = await stored({ parameters: { api: { baseUrl: 'https://example.com/' }, config: {} } })
    const row = { parameters: { config: changesOnly } }
    const refusal = {
      status: 400,
      body: { code: 'extractor.incremental.noKey', error: expect.stringMatching(/^Row r: Job 0/) },
    }
    expect(await send('POST', `/${id}/rows`, { rowId: 'r', configuration: row })).toMatchObject(refusal)
    expect(
      (await send('POST', `/${id}/rows`, { rowId: 'r', configuration: row, isDisabled: true })).status,
    ).toBe(201)
    expect(await send('PUT', `/${id}/rows/r`, { isDisabled: false })).toMatchObject(refusal)

    const keyed = { parameters: { config: { jobs: [{ ...changesOnly.jobs[0], primaryKey: ['id'] }] } } }
    expect((await send('PUT', `/${id}/rows/r`, { isDisabled: false, configuration: keyed })).status).toBe(200)
    const lost = { parameters: { config: { jobs: [{ primaryKey: null }] } } }
    expect((await send('PATCH', `/${id}/rows/r`, { configuration: lost })).status).toBe(400)
    const root = {
      parameters: { api: { baseUrl: 'https://example.com/' }, config: { incrementalOutput: false } },
    }
    expect(await send('PUT', `/${id}`, { configuration: root })).toMatchObject({
      status: 400,
      body: { code: 'extractor.incremental.replaces', error: expect.stringMatching(/^Row r: /) },
    })
  })
})

describe('a draft', () => {
  it.each([{ jobs: undefined }, { jobs: [] }])(
    'is stored without jobs, and what it has is read: %j',
    async config => {
      await stored(configuration(config))
      expect(
        await create(configuration({ ...config, outputBuckett: 1, mappings: { a: { id: {} } } })),
      ).toMatchObject({
        status: 400,
        body: { code: 'extractor.tables.badMapping' },
      })
    },
  )
})

describe('a configuration that only Generic Extractor would run', () => {
  it('is stored, with an event that says the right spelling', async () => {
    const id = await stored(configuration({ jobs: [{ endpoint: 'a', datatype: 'b' }] }))
    expect(await warningsOf(id)).toEqual([
      expect.stringMatching(/did you mean "dataType".*\n.*"compat": true/s),
    ])
  })

  it('is stored without an event when it asks for compat mode', async () => {
    const id = await stored(configuration({ compat: true, jobs: [{ endpoint: 'a', datatype: 'b' }] }))
    expect(await warningsOf(id)).toEqual([])
  })

  it('gets a warning for a schedule in a row, which is ignored', async () => {
    const id = await stored()
    await send('POST', `/${id}/rows`, { rowId: 'r', configuration: { schedule: 'rate(1 hour)' } })
    expect(await warningsOf(id)).toEqual([expect.stringMatching(/Row r: "schedule" is ignored/)])
  })
})

it.each([
  ['an empty one', {}],
  ['a root that leaves the jobs to its rows', { parameters: { api: { baseUrl: 'https://example.com/' } } }],
  ['a row that leaves the address to its root', { parameters: { config: { jobs: [{ endpoint: 'a' }] } } }],
  [
    'iterations over a table',
    configuration(
      { attr: 1 },
      {},
      { parameters: { ...configuration().parameters, iterations: { table: 'a.csv' } } },
    ),
  ],
  [
    'an expression for the address',
    configuration({}, { baseUrl: { function: 'concat', args: ['https://', 'a'] } }),
  ],
  ['what is no configuration of the extractor', { storage: {}, notes: 'later' }],
  ['a schedule', configuration({}, {}, { schedule: 'rate(1 hour)' })],
])('%s is stored', async (_what, given) => {
  expect(await warningsOf(await stored(given))).toEqual([])
})

it('can be rolled back to a version that cannot run, with a warning', async () => {
  const id = await stored()
  const place = { branchId: 1, componentId: 'ex-generic-v2', configId: id }
  const bad = JSON.stringify(configuration(changesOnly))
  // As it was stored before configurations were checked
  await service.stores.configurations.change(place, found => ({
    ...found,
    current: { ...found.current, version: 2, content: { ...found.current.content, configuration: bad } },
  }))
  expect((await send('PUT', `/${id}`, { configuration: configuration() })).status).toBe(200)
  expect((await send('POST', `/${id}/versions/2/rollback`, {})).status).toBe(201)
  expect(await warningsOf(id)).toEqual([expect.stringMatching(/It cannot run: Job 0 asks only/)])
  expect((await send('PUT', `/${id}`, { name: 'Another name' })).status).toBe(200)
})

it('configurations of other components are not checked', async () => {
  const path = '/v2/storage/components/keboola.runner-config-test/configs'
  const given = configuration({}, { pagination: { method: 'nexturl' } }, { schedule: 'whenever' })
  expect((await service.call('POST', path, { name: 'Other', configuration: given })).status).toBe(201)
})
