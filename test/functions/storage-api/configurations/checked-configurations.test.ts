import { describe, expect, it } from 'vitest'
import { withStorage } from '#support/storage-service.ts'

let made = 0
const service = await withStorage()

const configs = '/v2/storage/components/ex-generic-v2/configs'
const send = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
  service.call(method, `${configs}${path}`, body, headers)

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

  it.each(refused)('is refused by POST and PUT: %s', async (_what, given, code, message) => {
    const refusal = { status: 400, body: { code, error: expect.stringMatching(message) } }
    expect(await create(given)).toMatchObject(refusal)
    const id = await stored()
    expect(await send('PUT', `/${id}`, { configuration: given })).toMatchObject(refusal)
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
    const lost = { parameters: { config: { jobs: [{ ...changesOnly.jobs[0], primaryKey: null }] } } }
    expect((await send('PUT', `/${id}/rows/r`, { configuration: lost })).status).toBe(400)
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
      expect.stringMatching(/jobs\.0: .*did you mean "dataType".*"compat": true/),
    ])
  })

  it('is stored without an event when it asks for compat mode', async () => {
    const id = await stored(configuration({ compat: true, jobs: [{ endpoint: 'a', datatype: 'b' }] }))
    expect(await warningsOf(id)).toEqual([])
  })

  it('gets a warning for a schedule in a row, which is ignored', async () => {
    const id = await stored()
    await send('POST', `/${id}/rows`, { rowId: 'r', configuration: { schedule: 'rate(1 hour)' } })
    expect(await warningsOf(id)).toEqual([
      expect.stringMatching(/rows\.r\.configuration\.schedule: "schedule" is ignored/),
    ])
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

describe('what a client prefers (Prefer: handling=…)', () => {
  const misspelt = configuration({ jobs: [{ endpoint: 'a', datatype: 'b' }] })
  const never = configuration(changesOnly)
  const draft = configuration({ jobs: [] })
  const withSchedule = (given: object, schedule: unknown = 'rate(1 hour)') => ({ ...given, schedule })
  const place = 'configuration.parameters.config.jobs.0'
  const ofSchedule = { place: 'configuration.schedule', message: /^Its schedule starts runs that fail/ }
  const off = { expression: 'rate(1 hour)', isEnabled: false }

  type Told = { place: string; message: RegExp }[]
  /** The warnings of a change that is stored, or why it is refused. */
  const cases: [string, object, Record<'unsaid' | 'strict' | 'lenient', Told | RegExp>][] = [
    ['runs', configuration(), { unsaid: [], strict: [], lenient: [] }],
    ['is a draft', draft, { unsaid: [], strict: [], lenient: [] }],
    [
      'only Generic Extractor would run',
      misspelt,
      {
        unsaid: [{ place, message: /did you mean "dataType".*"compat": true/ }],
        strict: /did you mean "dataType".* at parameters\.config\.jobs\.0/,
        lenient: [{ place, message: /dataType/ }],
      },
    ],
    [
      'can never run',
      never,
      {
        unsaid: /^Job 0 asks only/,
        strict: /^Job 0 asks only/,
        lenient: [{ place: 'configuration', message: /^It cannot run: Job 0 asks only/ }],
      },
    ],
    ['runs by a schedule', withSchedule(configuration()), { unsaid: [], strict: [], lenient: [] }],
    [
      'is a draft with a schedule',
      withSchedule(draft),
      {
        unsaid: [ofSchedule],
        strict: /^A draft has no schedule.*parameters\.config\.jobs/,
        lenient: /^A draft has no schedule/,
      },
    ],
    ['is a draft whose schedule is off', withSchedule(draft, off), { unsaid: [], strict: [], lenient: [] }],
    [
      'only Generic Extractor would run, by a schedule',
      withSchedule(misspelt),
      {
        unsaid: [{ place, message: /dataType/ }, ofSchedule],
        strict: /dataType/,
        lenient: /^A draft has no schedule/,
      },
    ],
    [
      'has a schedule that cannot be read',
      withSchedule(configuration(), 'every 5 minutes'),
      { unsaid: /write rate/, strict: /write rate/, lenient: /^A draft has no schedule/ },
    ],
    [
      'brings what each run sets by itself',
      { ...configuration(), action: 'run', image_parameters: { a: 1 } },
      Object.fromEntries(
        ['unsaid', 'strict', 'lenient'].map(handling => [
          handling,
          [
            { place: 'configuration.image_parameters', message: /not stored/ },
            { place: 'configuration.action', message: /not stored/ },
          ],
        ]),
      ) as Record<'unsaid' | 'strict' | 'lenient', Told>, // all three
    ],
  ]
  const table = cases.flatMap(([what, given, expected]) =>
    (['unsaid', 'strict', 'lenient'] as const).map(
      handling => [what, handling, given, expected[handling]] as const,
    ),
  )

  it.each(table)('one that %s, %s', async (_what, handling, given, expected) => {
    const headers: Record<string, string> = handling === 'unsaid' ? {} : { prefer: `handling=${handling}` }
    const body = { configuration: given }
    const id = `p${++made}`
    const withRow = async () => {
      const of = await stored({ parameters: { api: { baseUrl: 'https://example.com/' } } })
      await send('POST', `/${of}/rows`, { rowId: 'r', name: 'Row', isDisabled: true })
      return `/${of}/rows`
    }
    const enabled = { isDisabled: '0', ...body }
    const replies: [string, Awaited<ReturnType<typeof send>>][] = [
      ['', await send('POST', '', { configurationId: id, name: 'Test', ...body }, headers)],
      ['', await send('PUT', `/${await stored()}`, body, headers)],
    ]
    // A row has no schedule.
    if (!('schedule' in given))
      replies.push(
        ['rows.s.', await send('POST', await withRow(), { rowId: 's', ...body }, headers)],
        ['rows.r.', await send('PUT', `${await withRow()}/r`, enabled, headers)],
      )
    for (const [prefix, { status, body: reply }] of replies) {
      if (expected instanceof RegExp) {
        const message = prefix === '' ? expected : new RegExp(expected.source.replace('^', '^Row [rs]: '))
        expect({ status, error: reply.error }).toEqual({ status: 400, error: expect.stringMatching(message) })
        continue
      }
      const warnings = expected.map(({ place: at, message }) => ({
        place: `${prefix}${at}`,
        message: expect.stringMatching(message),
      }))
      expect({ status: status < 300, warnings: reply.warnings ?? [] }).toEqual({ status: true, warnings })
      if (!('action' in given) || prefix !== '') continue
      expect(reply.configuration).toEqual(configuration())
    }
    const told = (await warningsOf(id)).length
    expect(told).toBe(expected instanceof RegExp || expected.length === 0 ? 0 : 1)
  })

  it('takes only keys of the root out: deeper ones are data, and what is null removes nothing', async () => {
    const deep = configuration(
      { jobs: [{ endpoint: 'a', params: { action: 'b' } }] },
      {},
      { storage: { action: 1 } },
    )
    const id = await stored({ ...deep, action: 'run' })
    expect((await send('GET', `/${id}`)).body.configuration).toEqual(deep)
    const { body } = await send('PUT', `/${id}`, { configuration: { ...deep, action: 'run' } })
    expect(body).toMatchObject({ version: 1, warnings: [{ place: 'configuration.action' }] })
  })

  it('hears the same when it is sent again as it is', async () => {
    const id = await stored(misspelt)
    const again = (handling: string) =>
      send('PUT', `/${id}`, { configuration: misspelt }, { prefer: `handling=${handling}` })
    expect(await again('strict')).toMatchObject({ status: 400 })
    expect(await again('lenient')).toMatchObject({ status: 200, body: { version: 1, warnings: [{ place }] } })
  })

  it('comes back from history with warnings: by rollback, as a copy and out of the trash', async () => {
    const headers = { prefer: 'handling=lenient' }
    const id = await stored()
    await send('PUT', `/${id}`, { configuration: never }, headers)
    await send('PUT', `/${id}`, { configuration: configuration() })
    const warnings = [{ place: 'configuration', message: expect.stringMatching(/^It cannot run: Job 0/) }]
    const strict = { prefer: 'handling=strict' }
    expect(await send('POST', `/${id}/versions/2/rollback`, {}, strict)).toMatchObject({
      status: 201,
      body: { warnings },
    })
    const copy = await send('POST', `/${id}/versions/2/create`, { name: 'Copy' }, strict)
    expect(copy).toMatchObject({ status: 201, body: { warnings } })
    expect(await warningsOf(copy.body.id)).toHaveLength(1)
    await send('DELETE', `/${id}`)
    expect(await send('POST', `/${id}/restore`, {}, strict)).toMatchObject({
      status: 201,
      body: { warnings },
    })
  })

  it('says of a configuration inside another node what the component would find', async () => {
    const wrapped = { configuration: configuration() }
    const { body } = await create(wrapped)
    expect(body).toMatchObject({
      configuration: wrapped,
      warnings: [{ place: 'configuration', message: expect.stringContaining('inside another') }],
    })
  })
})
