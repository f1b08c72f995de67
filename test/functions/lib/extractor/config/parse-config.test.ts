import { describe, expect, it } from 'vitest'
import { Pagination } from '#lib/extractor/config/pagination-schema.ts'
import { parseConfig } from '#lib/extractor/config/parse-config.ts'

const withJob = (job: object, config: object = {}, api: object = {}) => ({
  parameters: {
    api: { baseUrl: 'https://api.example/', ...api },
    config: { jobs: [{ endpoint: 'users', ...job }], ...config },
  },
})

describe('strict configuration', () => {
  it.each([
    [
      'a job key',
      withJob({ dataTYpe: 'x' }),
      'unknown key "dataTYpe" (did you mean "dataType"?) at parameters.config.jobs.0',
    ],
    [
      'a child key',
      withJob({ children: [{ endpoint: 'a', placeholder: {} }] }),
      'did you mean "placeholders"?) at parameters.config.jobs.0.children.0',
    ],
    [
      'an api key',
      withJob({}, {}, { paginaton: {} }),
      'unknown key "paginaton" (did you mean "pagination"?) at parameters.api',
    ],
    [
      'a pagination key',
      withJob({}, {}, { pagination: { method: 'offset', limit: 2, offsetParm: 'x' } }),
      'did you mean "offsetParam"?) at parameters.api.pagination',
    ],
    [
      'a config option',
      withJob({}, { outputBuckt: 'x' }),
      'unknown key "outputBuckt" (did you mean "outputBucket"?) at parameters.config',
    ],
    [
      'an authentication key',
      withJob({}, {}, { authentication: { type: 'login', loginRequest: { endpoint: 'l' }, expire: 3 } }),
      'did you mean "expires"?',
    ],
  ])('names the path of %s that is misspelt', (_, input, message) => {
    expect(() => parseConfig(input)).toThrow(message)
  })

  it.each([
    [
      'retries of HTTP alone',
      withJob({}, {}, { retryConfig: { http: { maxRetries: 3 } } }),
      'unknown key "maxRetries" (write it one level up, in "retryConfig") at parameters.api.retryConfig.http',
    ],
    ...['query', 'url.query'].map((type): [string, object, string] => [
      `what a login gives (${type})`,
      withJob({}, {}, { authentication: { type, query: { key: 'k' }, apiRequest: { query: { key: 'k' } } } }),
      'unknown key "apiRequest" (it belongs to a login; write "query" here, and headers in "api.http.headers") ' +
        'at parameters.api.authentication',
    ]),
  ])('refuses %s, which nothing reads, and says what to write; compat ignores it', (_, input, message) => {
    expect(() => parseConfig(input)).toThrow(message)
    expect(() => parseConfig(input, { compat: true })).not.toThrow()
  })

  it.each([
    [
      'an unknown pagination',
      withJob({}, {}, { pagination: { method: 'pages' } }),
      `unknown pagination method "pages" (known: ${Pagination.options.map(({ shape }) => shape.method.value).join(', ')}) ` +
        'at parameters.api.pagination.method',
    ],
    [
      'a misspelt pagination',
      withJob({}, {}, { pagination: { method: 'ofset' } }),
      'unknown pagination method "ofset" (did you mean "offset"? known: offset, pagenum, ',
    ],
    [
      'a misspelt authentication',
      withJob({}, {}, { authentication: { type: 'logn' } }),
      'Unknown authorization type "logn" (did you mean "login"? known: ',
    ],
    [
      'an unknown authentication',
      withJob({}, {}, { authentication: { type: 'magic' } }),
      'Unknown authorization type',
    ],
    [
      'offset without limit',
      withJob({}, {}, { pagination: { method: 'offset' } }),
      'parameters.api.pagination.limit',
    ],
    [
      'a limit of zero',
      withJob({}, {}, { pagination: { method: 'offset', limit: 0 } }),
      'must be a positive integer',
    ],
    [
      'expires as text',
      withJob(
        {},
        {},
        { authentication: { type: 'login', loginRequest: { endpoint: 'l' }, expires: 'soon' } },
      ),
      "The 'expires' attribute must be either",
    ],
    ['an unknown method', withJob({ method: 'PUT' }), 'method must be GET, POST or FORM'],
    [
      'a job without endpoint',
      { parameters: { api: { baseUrl: 'https://a.b' }, config: { jobs: [{}] } } },
      'parameters.config.jobs.0.endpoint',
    ],
    [
      'no jobs',
      { parameters: { api: { baseUrl: 'https://a.b' }, config: { jobs: [] } } },
      'must hold at least one job',
    ],
    ['no config', { parameters: { api: { baseUrl: 'https://a.b' } } }, "The 'config' section is required"],
    [
      'no base address',
      { parameters: { api: { name: 'x' }, config: { jobs: [{ endpoint: 'a' }] } } },
      "The 'baseUrl' attribute must be set",
    ],
    [
      'both limit stops',
      withJob({}, {}, { pagination: { method: 'pagenum', limitStop: { field: 'a', count: 1 } } }),
      'exactly one of "field" and "count"',
    ],
    [
      'a stopOn that is no boolean',
      withJob({}, {}, { pagination: { method: 'pagenum', nextPageFlag: { field: 'a', stopOn: 1 } } }),
      'nextPageFlag.stopOn',
    ],
  ])('refuses %s', (_, input, message) => {
    expect(() => parseConfig(input)).toThrow(message)
  })

  it('accepts the spellings of Generic Extractor: digits as text, empty lists for objects, null for nothing, any case of a method', () => {
    const { api, runs } = parseConfig(
      withJob(
        { params: [], headers: [], placeholders: [], method: 'post', dataField: null, children: null },
        { debug: 1, incrementalOutput: 0, '#token': 's', anything: { a: 1 } },
        { pagination: { method: 'offset', limit: '2' }, retryConfig: [], http: { defaultOptions: [] } },
      ),
    )
    expect(api.pagination).toMatchObject({ method: 'offset', limit: 2 })
    expect(runs[0]?.config.jobs[0]).toMatchObject({ method: 'POST' })
    expect(runs[0]?.attributes).toMatchObject({ '#token': 's', anything: { a: 1 } })
  })

  it('keeps the notes of the configuration editor', () => {
    const input = withJob(
      { __NAME: 'Users', children: [{ endpoint: 'c', __NODE_ID: 1 }] },
      {},
      { __AUTH_METHOD: 'x' },
    )
    expect(() => parseConfig({ parameters: { ...input.parameters, __SELECTED_JOB: '0' } })).not.toThrow()
  })

  it('leaves an attribute alone that a reference reads, however it is spelt', () => {
    const input = withJob({ params: { n: { attr: 'debg' } } }, { debg: 1 })
    expect(parseConfig(input).runs[0]?.attributes).toMatchObject({ debg: 1 })
  })

  it('shows attr everything but the jobs', () => {
    expect(parseConfig(withJob({}, { a: 1 })).runs[0]?.attributes).toEqual({ a: 1 })
  })
})

describe('compat', () => {
  const misspelt = (config: object = {}) =>
    withJob({ dataTYpe: 'x', children: [{ endpoint: 'c', nothing: 1 }] }, config, { what: 1 })

  it('drops unknown keys silently with compat', () => {
    const { runs, compat } = parseConfig(misspelt(), { compat: true })
    expect(compat).toBe(true)
    expect(runs[0]?.config.jobs[0]).not.toHaveProperty('dataTYpe')
  })

  it('may be switched on in the configuration', () => {
    expect(parseConfig(misspelt({ compat: true })).compat).toBe(true)
    expect(() => parseConfig(misspelt())).toThrow('dataType')
  })

  it('still refuses what could not run', () => {
    expect(() => parseConfig(withJob({ method: 'PUT' }), { compat: true })).toThrow('method must be')
  })
})

describe('what Generic Extractor makes of odd values', () => {
  const api = (over: object) => withJob({}, {}, over)

  it.each([
    ['a pagination without method', api({ pagination: { limit: 2 } }), 'pagination', undefined],
    [
      'an authentication without type',
      api({ authentication: { loginRequest: {} } }),
      'authentication',
      undefined,
    ],
    ['retry settings that are a text', api({ retryConfig: 'x' }), 'retryConfig', undefined],
    [
      'a time-out that is no number',
      api({ http: { connectTimeout: 'x', headers: { a: 1 } } }),
      'http',
      { headers: { a: 1 } },
    ],
    [
      'a switch that is a text',
      api({ pagination: { method: 'pagenum', firstPageParams: 'false' } }),
      'pagination',
      { method: 'pagenum', firstPageParams: true },
    ],
  ])('%s: an error, with compat as there', (_, input, key, value) => {
    expect(() => parseConfig(input)).toThrow('Invalid configuration')
    expect(Reflect.get(parseConfig(input, { compat: true }).api, key)).toEqual(value)
  })

  it('still refuses a kind that nobody knows', () => {
    expect(() => parseConfig(api({ pagination: { method: 'magic' } }), { compat: true })).toThrow(
      'unknown pagination method',
    )
    expect(() => parseConfig(api({ authentication: { type: 'magic' } }), { compat: true })).toThrow(
      'Unknown authorization type',
    )
  })

  it('reads an object of jobs as the list of its values, and an empty method as none', () => {
    const { runs } = parseConfig({
      parameters: {
        api: { baseUrl: 'https://a.b' },
        config: { jobs: { one: { endpoint: 'a', method: '' } } },
      },
    })
    expect(runs[0]?.config.jobs[0]).toMatchObject({ endpoint: 'a' })
  })
})

describe('iterations', () => {
  it('replace whole keys of config, one run each', () => {
    const input = withJob({}, { http: { headers: { a: '1', b: '2' } }, kept: 1 })
    const { runs } = parseConfig({
      parameters: {
        ...input.parameters,
        iterations: [{ http: { headers: { a: '3' } } }, { outputBucket: 'two' }],
      },
    })
    expect(runs).toHaveLength(2)
    expect(runs[0]?.attributes).toMatchObject({ http: { headers: { a: '3' } }, kept: 1 })
    expect(runs[0]?.attributes['http']).toEqual({ headers: { a: '3' } })
    expect(runs[1]?.config.outputBucket).toBe('two')
  })
})
