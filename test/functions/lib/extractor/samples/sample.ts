import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Agent, buildConnector } from 'undici'
import { expect } from 'vitest'
import { UserError } from '#lib/errors/errors.ts'
import type { LogRecord } from '#lib/extractor/requests/masking/masker.ts'
import { extract } from '#lib/extractor/run/extract.ts'

/** A configuration, the API that it reads, and what must come out. */
export interface Sample {
  name: string
  config: unknown
  /** The state before the run; absent on a first run. */
  state: unknown
  compat: boolean
  /** Seconds since 1970. */
  startsAt: number
  startApi(clock: SampleClock): Promise<SampleApi>
  expected: {
    exitCode: number
    errorCode?: string | undefined
    /** Parts of log lines and of the error's message. */
    messages: readonly string[]
    /** Parts of the warnings, one for each, in order; absent where they are not known. */
    warnings?: readonly string[] | undefined
    /** Contents of `out/tables` by file name; absent where they are not known. */
    files?: Readonly<Record<string, string>> | undefined
    /** `out/state.json`; absent where the sample is not about it. */
    state?: unknown
  }
}

/** The time of a run. It stands still unless the API takes time to answer. */
export interface SampleClock {
  now(): number
  advance(seconds: number): void
}

export interface SampleApi {
  port: number
  /** Requests that were not expected, and expected ones that did not come. */
  problems(): string[]
  close(): Promise<unknown>
}

/** What came of a run. */
export interface Played {
  exitCode: number
  errorCode: string | undefined
  /** Messages, that of the error last. */
  lines: string[]
  warnings: string[]
  /** Contents of `out/tables` by file name. */
  files: Record<string, string>
  state: unknown
  /** Requests that were not expected, and expected ones that did not come. */
  problems: string[]
}

/** Runs a sample and compares all that is known of its outcome. */
export const runSample = async (sample: Sample): Promise<void> => {
  const played = await playSample(sample)
  const { expected } = sample
  const lines = played.lines.join('\n')
  expect(played.exitCode, lines).toBe(expected.exitCode)
  expect(played.problems).toEqual([])
  if (expected.errorCode !== undefined) expect(played.errorCode).toBe(expected.errorCode)
  for (const message of expected.messages) expect(lines).toContain(message)
  if (expected.warnings !== undefined)
    expect(played.warnings).toEqual(expected.warnings.map(part => expect.stringContaining(part)))
  if (expected.files !== undefined) expect(comparable(played.files)).toEqual(comparable(expected.files))
  if (expected.state !== undefined) expect(played.state).toEqual(expected.state)
}

export const playSample = async (sample: Omit<Sample, 'expected'>): Promise<Played> => {
  let time = sample.startsAt
  const clock: SampleClock = {
    now: () => time,
    advance: seconds => {
      time += seconds
    },
  }
  const api = await sample.startApi(clock)
  const dispatcher = sendingTo(api.port)
  const folder = await mkdtemp(join(tmpdir(), 'extractor-sample-'))
  const logs: LogRecord[] = []
  try {
    const outcome = await outcomeOf(sample, { folder, dispatcher, clock, logs })
    return {
      ...outcome,
      lines: logs.map(({ message }) => message),
      warnings: logs.filter(({ level }) => level === 'warning').map(({ message }) => message),
      files: filesIn(join(folder, 'out')),
      problems: api.problems(),
    }
  } finally {
    await dispatcher.close()
    await api.close()
    await rm(folder, { recursive: true, force: true })
  }
}

const outcomeOf = async (
  sample: Omit<Sample, 'expected'>,
  run: { folder: string; dispatcher: Agent; clock: SampleClock; logs: LogRecord[] },
): Promise<Pick<Played, 'exitCode' | 'errorCode' | 'state'>> => {
  try {
    const result = await extract({
      config: sample.config,
      state: sample.state,
      outDir: join(run.folder, 'out'),
      spoolDir: join(run.folder, 'spool'),
      compat: sample.compat,
      dispatcher: run.dispatcher,
      now: run.clock.now,
      log: record => run.logs.push(record),
    })
    return { exitCode: 0, errorCode: undefined, state: result.finished ? result.state : undefined }
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    run.logs.push({ level: 'error', message: error.message })
    return { exitCode: 1, errorCode: error.code, state: undefined }
  }
}

/** Every host name and port leads to one server, which speaks no TLS whatever the address says. */
const sendingTo = (port: number): Agent => {
  const connect = buildConnector({})
  return new Agent({
    connect: (options, callback) =>
      connect({ ...options, protocol: 'http:', hostname: '127.0.0.1', port: String(port) }, callback),
  })
}

/** Contents by name of the files in a folder; none when it is not there. */
export const filesIn = (folder: string): Record<string, string> =>
  existsSync(folder)
    ? Object.fromEntries(readdirSync(folder).map(name => [name, readFileSync(join(folder, name), 'utf8')]))
    : {}

/** Tables byte by byte, manifests as the JSON that they are. */
const comparable = (files: Readonly<Record<string, string>>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(files).map(([name, text]) => [name, name.endsWith('.manifest') ? JSON.parse(text) : text]),
  )
