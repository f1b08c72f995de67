import { describe, expect, it } from 'vitest'
import { buildEndpoint } from '#lib/extractor/requests/http/outgoing-request.ts'
import { checkConfiguration } from '#lib/extractor/run/check-configuration.ts'
import { parseRowFilter } from '#lib/extractor/values/select/response-filter.ts'
import { ownSamples } from './samples/own-samples.ts'
import { runSample, type Sample } from './samples/sample.ts'
import { hasSharedSamples, sharedSamples } from './samples/shared-samples.ts'
import { vectorSets } from './samples/vectors.ts'

const mayBeStored = ({ config }: Sample): void => {
  expect(() => checkConfiguration(config as Record<string, unknown>)).not.toThrow() // a config.json is an object
}
const succeeds = ({ expected }: Sample): boolean => expected.exitCode === 0

describe('our own samples', () => {
  it.each(ownSamples())('$name', runSample)
  it.each(ownSamples().filter(succeeds))('may be stored: $name', mayBeStored)
})

describe.runIf(hasSharedSamples)('the shared samples of real configurations', () => {
  it.each(sharedSamples())('$name', runSample)
  it.each(sharedSamples().filter(succeeds))('may be stored: $name', mayBeStored)
})

describe.each(vectorSets)('single steps: $set', ({ vectors }) => {
  it.each(vectors.filters)('filter $filter on $item', ({ filter, item, passes, error }) => {
    if (error === undefined) expect(parseRowFilter(filter)(JSON.parse(item))).toBe(passes)
    else expect(() => parseRowFilter(filter)).toThrow(error)
  })

  it.each(vectors.buildUrl)('address $url with $params', ({ url, params, result }) => {
    expect(buildEndpoint({ endpoint: url, params }, { compat: true })).toBe(result)
  })
})
