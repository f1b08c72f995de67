import { expect, it } from 'vitest'
import { parseConfig } from '#lib/extractor/config/parse-config.ts'

interface Given {
  api?: object
  http?: object
  config?: object
  job?: object
  root?: object
}

const configurationWith = ({ api = {}, http = {}, config = {}, job = {}, root = {} }: Given) => ({
  ...root,
  parameters: {
    api: { baseUrl: 'https://api.example.com/', ...api, http },
    config: { ...config, jobs: [{ endpoint: 'items', ...job }] },
  },
})

it.each<[string, Given, string]>([
  ['conditional', { http: { conditional: true } }, 'leave it out: every answer is asked for whole'],
  ['limits', { api: { limits: { requests: 5 } } }, '"forceStop" ends a job'],
  ['each', { job: { each: { x: [1] } } }, '"iterations" run all jobs'],
  ['evaluate', { http: { evaluate: true } }, '"params" and "userData" of jobs take functions'],
  ['deletions', { job: { deletions: 'column' } }, 'read all rows, and compare the tables in SQL (EXCEPT)'],
  ['drift', { config: { drift: 'warn' } }, 'test the table after it is loaded, with dbt or a query'],
  ['drift', { job: { drift: 'hold' } }, 'test the table after it is loaded, with dbt or a query'],
  [
    'typeConflicts',
    { config: { typeConflicts: 'keep' } },
    'a value that does not fit its column fails the run',
  ],
  ['records', { job: { records: [{ remove: 'x' }] } }, '"mappings" choose and name the columns'],
  [
    'stopWhen',
    { api: { pagination: { method: 'pagenum', stopWhen: true } } },
    '"nextPageFlag" ends the pages',
  ],
  [
    'expr',
    { job: { params: { since: [{ expr: 'now_utc()' }] } } },
    'functions such as "concat" and "date" make values',
  ],
  [
    'expr',
    { job: { placeholders: { id: { path: 'id', missing: 'skip', expr: 'none' } } } },
    'functions such as "concat" and "date" make values',
  ],
  [
    'expr',
    { api: { pagination: { method: 'pagenum', stopWhen: { expr: 'true' } } } },
    'functions such as "concat" and "date" make values',
  ],
  ['keepRecordings', { root: { keepRecordings: true } }, 'a proxy such as mitmproxy'],
  ['report', { job: { report: {} } }, 'ask for it in a job, for its state in a child of that'],
  ['cursor', { job: { incremental: { cursor: 'at', start: '2026-01-01' } } }, 'use "idKey"'],
  ['granularity', { job: { incremental: { idKey: 'at', param: 'a', granularity: 'P1D' } } }, 'steps share'],
  ['graphql', { job: { graphql: { query: '{ a }' } } }, 'use "method": "POST"'],
  ['graphql', { api: { pagination: { method: 'graphql' } } }, 'use "json-cursor" with "param"'],
  ['xml', { job: { response: { format: 'xml' } } }, 'a script makes CSV or JSON of XML'],
  ['files', { job: { response: { files: '*.csv' } } }, 'zip archives are not read'],
  [
    'PS256',
    { api: { authentication: { type: 'jwt', algorithm: 'PS256', key: 'k' } } },
    'use "HS256", "RS256" or "ES256"',
  ],
  ['account', { http: { budget: { requests: 1, seconds: 1, account: 'a' } } }, 'a budget is that of one run'],
  ['id', { job: { completeness: { mode: 'fail', id: 'no' } } }, 'rows are compared with the total alone'],
  ['repair', { job: { completeness: 'repair' } }, 'use "fail", and run again'],
])('"%s" in %j is refused, with what serves instead', (key, given, instead) => {
  for (const compat of [false, true])
    expect(() => parseConfig(configurationWith(given), { compat })).toThrow(`"${key}" is gone: ${instead}`)
})

it.each<[string, Given]>([
  ['a parameter', { job: { params: { expr: 'state = open' } } }],
  ['a header', { http: { headers: { expr: 'x' } } }],
  ['a placeholder', { job: { children: [{ endpoint: '{expr}', placeholders: { expr: 'id' } }] } }],
  ['a column', { job: { userData: { expr: 'x' } } }],
  ['a field', { config: { mappings: { items: { expr: 'expression' } } } }],
  ['one of several members of a body', { job: { body: { json: { expr: 'a', limit: 1 } } } }],
])('%s may have the name "expr"', (_, given) => {
  expect(() => parseConfig(configurationWith(given))).not.toThrow()
})
