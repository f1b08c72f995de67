import { expect, it } from 'vitest'
import { parseConfig } from '#lib/extractor/config/parse-config.ts'

interface Given {
  api?: object
  http?: object
  config?: object
  job?: object
}

const configurationWith = ({ api = {}, http = {}, config = {}, job = {} }: Given) => ({
  parameters: {
    api: { baseUrl: 'https://api.example.com/', ...api, http },
    config: { ...config, jobs: [{ endpoint: 'items', ...job }] },
  },
})

it.each<[string, Given, string]>([
  ['drift', { config: { drift: 'warn' } }, 'test the table after it is loaded, with dbt or a query'],
  ['drift', { job: { drift: 'hold' } }, 'test the table after it is loaded, with dbt or a query'],
  [
    'typeConflicts',
    { config: { typeConflicts: 'keep' } },
    'a value that does not fit its column fails the run',
  ],
  ['records', { job: { records: [{ remove: 'x' }] } }, '"mappings" choose and name the columns'],
])('"%s" in %j is refused, with what serves instead', (key, given, instead) => {
  for (const compat of [false, true])
    expect(() => parseConfig(configurationWith(given), { compat })).toThrow(`"${key}" is gone: ${instead}`)
})
