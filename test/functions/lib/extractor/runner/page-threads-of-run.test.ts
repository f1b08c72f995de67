import { expect, it } from 'vitest'
import { parseConfig } from '#lib/extractor/config/parse-config.ts'
import type { ExtractOptions } from '#lib/extractor/extract.ts'
import { createLog } from '#lib/extractor/masking/log.ts'
import { createMasker } from '#lib/extractor/masking/masker.ts'
import { createPageThreads } from '#lib/extractor/runner/create-page-threads.ts'

const hasThreads = (api: Record<string, unknown>, options: Partial<ExtractOptions> = {}): boolean => {
  const config = {
    parameters: { api: { baseUrl: 'http://api.test/', ...api }, config: { jobs: [{ endpoint: 'items' }] } },
  }
  const log = createLog(() => {}, createMasker([]), false)
  const given = { config, outDir: 'unused', spoolDir: 'unused', ...options }
  return createPageThreads(parseConfig(config, {}), given, log) !== undefined
}

it('uses as many threads as the caller has, or as the configuration says', () => {
  expect(hasThreads({})).toBe(false)
  expect(hasThreads({}, { threads: 1 })).toBe(false)
  expect(hasThreads({}, { threads: 2 })).toBe(true)
  expect(hasThreads({ http: { threads: 2 } })).toBe(true)
  expect(hasThreads({ http: { threads: 1 } }, { threads: 2 })).toBe(false)
})

it('uses one thread where the rows so far decide what is asked for', () => {
  expect(hasThreads({ limits: { rows: 10 } }, { threads: 2 })).toBe(false)
  expect(hasThreads({ limits: { requests: 10 } }, { threads: 2 })).toBe(true)
  expect(hasThreads({}, { threads: 2, maxRows: 10 })).toBe(false)
})
