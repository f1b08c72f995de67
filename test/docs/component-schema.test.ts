import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, it } from 'vitest'
import { readCatalogue } from '../../functions/storage-api/components/read-catalogue.ts'
import { extractorParametersSchema } from './component-schema.ts'

const catalogue = readCatalogue(join(import.meta.dirname, '../../functions/storage-api/components'))
const extractor = catalogue.get('ex-generic-v2')

describe('the configuration schema of ex-generic-v2', () => {
  const validate = new Ajv2020({ strict: false, formats: { uri: true } }).compile(
    extractor?.configurationSchema ?? false,
  )

  it('is what the extractor reads (npm run component-schema)', () => {
    expect(extractor?.configurationSchema).toEqual(JSON.parse(JSON.stringify(extractorParametersSchema())))
  })

  it.each([
    ['the configuration that a new one begins with', extractor?.emptyConfiguration['parameters']],
    [
      'an API and its jobs',
      {
        api: { baseUrl: 'https://a.cz/' },
        config: { jobs: [{ endpoint: 'a', children: [{ endpoint: 'b/{id}' }] }] },
      },
    ],
    ['a part of it, as in a row', { config: { jobs: [{ endpoint: 'a' }] } }],
  ])('takes %s', (_what, parameters) => {
    expect(validate(parameters), JSON.stringify(validate.errors)).toBe(true)
  })

  it.each([
    ['a misspelt key', { api: { baseUrl: 'https://a.cz/', pagenation: {} } }],
    ['an unknown login', { api: { baseUrl: 'https://a.cz/', authentication: { type: 'magic' } } }],
    ['jobs without an address', { config: { jobs: [{ dataField: 'a' }] } }],
  ])('refuses %s', (_what, parameters) => {
    expect(validate(parameters)).toBe(false)
  })
})
