import { readFileSync } from 'node:fs'
import type { Metafile } from 'esbuild'
import { describe, expect, it } from 'vitest'
import { bundlesFolder } from '#local/runtime/bundles.ts'
import { metafilePath } from '../../infra/bundle.ts'
import { functionNames } from '../../infra/system.ts'
import { sizeOfFirstEvent, sizeOfStart } from '../support/bundle-sizes.ts'

/** In kilobytes, minified. Parsing takes most of the time of a start, and grows with them. */
const LONGEST_START = 150
const LONGEST_FIRST_EVENT: Readonly<Record<string, number>> = {
  // The SDK's clients of items, machines and secrets are some hundred of each: they replace requests that we signed ourselves.
  'poll-job': 240,
  'start-import': 510,
  'storage-api': 1050,
}

const bundles = await bundlesFolder()

describe.each(functionNames)('the bundle of %s', name => {
  it('loads little before its first event, and nothing that Lambda does not need', () => {
    const metafile: Metafile = JSON.parse(readFileSync(metafilePath(bundles, name), 'utf8'))
    const start = sizeOfStart(metafile)
    expect(start.bytes, `The largest: ${start.largest}`).toBeLessThan(LONGEST_START * 1000)

    const first = sizeOfFirstEvent(metafile)
    const limit = LONGEST_FIRST_EVENT[name] ?? Number.POSITIVE_INFINITY
    expect(first.bytes, `The largest: ${first.largest}`).toBeLessThan(limit * 1000)

    const inputs = Object.values(metafile.outputs)
      .flatMap(({ inputs }) => Object.entries(inputs))
      .filter(([, { bytesInOutput }]) => bytesInOutput > 0)
      .map(([path]) => path)
    expect(inputs.filter(path => /zod\/v4\/locales\/(?!en\.|index\.)/.test(path))).toEqual([])
    expect(inputs.filter(path => /credential-provider-(?!env)|nested-clients/.test(path))).toEqual([])

    const imported = Object.values(metafile.outputs).flatMap(({ imports }) =>
      imports.filter(({ kind }) => kind !== 'require-call').map(({ path }) => path),
    )
    expect(imported.filter(path => /^(node:)?(http|process)$/.test(path))).toEqual([])
  })
})
