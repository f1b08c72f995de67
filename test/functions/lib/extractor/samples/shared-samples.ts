import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { filesIn, type Sample, type SampleApi } from './sample.ts'

export const sharedFolder = resolve(import.meta.dirname, '../../../../../../shared/conformance/extractor')

export const hasSharedSamples = existsSync(join(sharedFolder, 'index.json'))
if (!hasSharedSamples) {
  console.info('The shared conformance samples are not beside this repository: only its own samples run.')
}

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

interface MockServer extends Omit<SampleApi, 'problems'> {
  log: { sample: string | null; method: string; url: string }[]
}

/** Samples of real configurations that lie beside the repository on some machines; none elsewhere. */
export const sharedSamples = (): Sample[] => {
  if (!hasSharedSamples) return []
  const { examples } = readJson('index.json') as { examples: Example[] } // the samples' own index
  return examples
    .filter(
      ({ needs, expectedExit }) => expectedExit < 2 && !needs.includes('ssh') && !needs.includes('https'),
    )
    .map(toSample)
}

const readJson = (file: string): unknown => JSON.parse(readFileSync(join(sharedFolder, file), 'utf8'))

const toSample = (example: Example): Sample => {
  const { name, expectedDir, fixedClock } = example
  const stateFile = join(example.dir, 'in/state.json')
  const isKnown = expectedDir !== undefined && (example.expectedUsable || fixedClock !== undefined)
  return {
    name,
    config: readJson(example.config),
    state: existsSync(join(sharedFolder, stateFile)) ? readJson(stateFile) : undefined,
    compat: true,
    startsAt: (fixedClock === undefined ? Date.now() : Date.parse(`${fixedClock}T12:00:00Z`)) / 1000,
    startApi: () => startMockServer(example),
    expected: {
      exitCode: example.expectedExit,
      messages: example.expectedMessages ?? [],
      files: isKnown ? withToday(filesIn(join(sharedFolder, expectedDir))) : undefined,
    },
  }
}

const startMockServer = async ({ name, set, relaxHeaders }: Example): Promise<SampleApi> => {
  const mock = (await import(pathToFileURL(join(sharedFolder, 'mock-server.mjs')).href)) as {
    startMockServer: (options: object) => Promise<MockServer>
  } // the samples' own server
  const { port, log, close } = await mock.startMockServer({
    dir: join(sharedFolder, set),
    relax: relaxHeaders === true ? [name] : null,
  })
  const problems = (): string[] =>
    log.filter(({ sample }) => sample === null).map(({ method, url }) => `not expected: ${method} ${url}`)
  return { port, problems, close }
}

/** Some tables hold the day on which they were made. */
const withToday = (files: Record<string, string>): Record<string, string> => {
  const today = new Date().toISOString().slice(0, 10)
  return Object.fromEntries(
    Object.entries(files).map(([name, text]) => [name, text.replaceAll('{{date}}', today)]),
  )
}
