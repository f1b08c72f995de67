import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { Agent, buildConnector } from 'undici'
import { describe, expect, it } from 'vitest'
import { UserError } from '#lib/errors/errors.ts'
import { checkConfiguration } from '#lib/extractor/config/check-configuration.ts'
import { extract } from '#lib/extractor/extract.ts'
import { buildEndpoint } from '#lib/extractor/http/build-endpoint.ts'
import { parseRowFilter } from '#lib/extractor/select/recursion-filter.ts'

const samples = resolve(import.meta.dirname, '../../../../../shared/conformance/extractor')
const isThere = existsSync(join(samples, 'index.json'))
if (!isThere) console.warn('The conformance samples are not here: their tests are skipped.')

interface Example {
  name: string
  set: 'examples' | 'functional'
  dir: string
  config: string
  expectedDir?: string
  expectedUsable: boolean
  expectedExit: number
  expectedMessages?: string[]
  fixedClock?: string
  relaxHeaders?: boolean
  needs: string[]
}

interface MockServer {
  port: number
  log: { sample: string | null; method: string; url: string }[]
  close(): Promise<unknown>
}

const readJson = (file: string): unknown => JSON.parse(readFileSync(join(samples, file), 'utf8'))
const examples = isThere ? (readJson('index.json') as { examples: Example[] }).examples : [] // the samples' own index
const runnable = examples.filter(
  ({ needs, expectedExit }) => expectedExit < 2 && !needs.includes('ssh') && !needs.includes('https'),
)

describe.skipIf(!isThere)('the samples of real configurations', () => {
  it.each(runnable.filter(({ expectedExit }) => expectedExit === 0))('may be stored: $name', example => {
    const config = readJson(example.config) as Record<string, unknown> // a config.json
    expect(() => checkConfiguration(config)).not.toThrow()
  })

  it.each(runnable)('$name', async example => {
    const { startMockServer } = (await import(pathToFileURL(join(samples, 'mock-server.mjs')).href)) as {
      startMockServer: (options: object) => Promise<MockServer>
    } // the samples' own server
    const server = await startMockServer({
      dir: join(samples, example.set),
      relax: example.relaxHeaders === true ? [example.name] : null,
    })
    const dispatcher = sendingTo(server.port)
    const folder = await mkdtemp(join(tmpdir(), 'extractor-sample-'))
    const messages: string[] = []
    try {
      const outcome = await run(example, folder, dispatcher, messages)
      expect(outcome).toBe(example.expectedExit)
      for (const message of example.expectedMessages ?? []) expect(messages.join('\n')).toContain(message)
      expect(server.log.filter(({ sample }) => sample === null)).toEqual([])
      if (example.expectedDir !== undefined && (example.expectedUsable || example.fixedClock !== undefined)) {
        compareTables(join(samples, example.expectedDir), join(folder, 'out'))
      }
    } finally {
      await dispatcher.close()
      await server.close()
      await rm(folder, { recursive: true, force: true })
    }
  })
})

const run = async (
  example: Example,
  folder: string,
  dispatcher: Agent,
  messages: string[],
): Promise<number> => {
  const stateFile = join(samples, example.dir, 'in/state.json')
  const start = example.fixedClock === undefined ? Date.now() : Date.parse(`${example.fixedClock}T12:00:00Z`)
  const begun = Date.now()
  try {
    await extract({
      config: readJson(example.config),
      state: existsSync(stateFile) ? JSON.parse(readFileSync(stateFile, 'utf8')) : undefined,
      outDir: join(folder, 'out'),
      spoolDir: join(folder, 'spool'),
      compat: true,
      dispatcher,
      now: () => (start + Date.now() - begun) / 1000,
      log: ({ message }) => messages.push(message),
    })
    return 0
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    messages.push(error.message)
    return 1
  }
}

/** Every host name and port leads to the mock server. */
const sendingTo = (port: number): Agent => {
  const connect = buildConnector({})
  return new Agent({
    connect: (options, callback) =>
      connect({ ...options, hostname: '127.0.0.1', port: String(port) }, callback),
  })
}

const compareTables = (expected: string, actual: string): void => {
  const files = readdirSync(expected)
  expect(existsSync(actual) ? readdirSync(actual).sort() : []).toEqual(files.sort())
  for (const file of files) {
    const want = readFileSync(join(expected, file), 'utf8').replaceAll(
      '{{date}}',
      new Date().toISOString().slice(0, 10),
    )
    const got = readFileSync(join(actual, file), 'utf8')
    if (file.endsWith('.manifest')) expect(JSON.parse(got)).toEqual(JSON.parse(want))
    else expect(got).toBe(want)
  }
}

describe.skipIf(!isThere)('the vectors of single steps', () => {
  const vectors = (isThere ? readJson('vectors.json') : { filters: [], buildUrl: [] }) as {
    filters: { filter: string; item: string; passes?: boolean; error?: string }[]
    buildUrl: { url: string; params: Record<string, never>; result: string }[]
  } // the samples' own file

  it.each(vectors.filters)('filter $filter on $item', ({ filter, item, passes, error }) => {
    if (error === undefined) expect(parseRowFilter(filter)(JSON.parse(item))).toBe(passes)
    else expect(() => parseRowFilter(filter)).toThrow(error)
  })

  it.each(vectors.buildUrl)('address $url with $params', ({ url, params, result }) => {
    expect(buildEndpoint(url, params)).toBe(result)
  })
})
