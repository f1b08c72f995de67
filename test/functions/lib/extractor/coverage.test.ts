import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { Authentication } from '#lib/extractor/config/authentication-schema.ts'
import { ConfigFile } from '#lib/extractor/config/config-schema.ts'
import { Pagination } from '#lib/extractor/config/pagination-schema.ts'
import { mappingTypes } from '#lib/extractor/tables/mapping.ts'
import { functionTable } from '#lib/extractor/values/functions/function-table.ts'
import { allKeys, type JsonSchema, usedKeys, withoutMethod } from './samples/keys-of-schema.ts'
import { ownSamples } from './samples/own-samples.ts'

/** Keys that no sample can show. */
const notShown = new Set([
  // By a server with TLS: http/tls.test.ts
  'parameters.api.caCertificate',
  'parameters.api.clientCertificate',
  'parameters.api.#clientCertificate',
  // Without effect, as in Generic Extractor
  'parameters.api.retryConfig.http.maxRetries',
  '(query).apiRequest',
  '(query).apiRequest.headers',
  '(query).apiRequest.query',
  '(url.query).apiRequest',
  '(url.query).apiRequest.headers',
  '(url.query).apiRequest.query',
])

const samples = ownSamples()
const configurations = samples.filter(({ expected }) => expected.exitCode === 0).map(({ config }) => config)

const schema = z.toJSONSchema(ConfigFile, { io: 'input', unrepresentable: 'any' }) as JsonSchema
const known = new Set([...allKeys(schema)].map(withoutMethod).filter(key => !notShown.has(key)))
const used = new Set(samples.flatMap(({ config }) => [...usedKeys(schema, config)]).map(withoutMethod))

/** Every text under `key`, at any depth. */
const textsUnder = (key: string, value: unknown): string[] => {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, inner]) =>
    name === key && typeof inner === 'string' ? [inner] : textsUnder(key, inner),
  )
}

describe('the samples use', () => {
  it.each(Pagination.options.map(({ shape }) => shape.method.value))('pagination %s', method => {
    expect(textsUnder('method', configurations)).toContain(method)
  })

  it.each(Authentication.options.map(({ shape }) => shape.type.value))('authentication %s', type => {
    expect(textsUnder('type', configurations)).toContain(type)
  })

  it.each(mappingTypes)('mapping type %s', type => {
    expect(textsUnder('type', configurations)).toContain(type)
  })

  it.each(Object.keys(functionTable))('function %s', name => {
    expect(textsUnder('function', configurations)).toContain(name)
  })

  it.each([...known])('key %s', key => {
    expect(used).toContain(key)
  })
})
