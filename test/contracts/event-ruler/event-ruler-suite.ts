import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import landed from '#events/start-import/object-created.json' with { type: 'json' }
import { type MachineName, machines } from '#infra/system.ts'
import { type EndedExecution, type RunningExecution, statusChange } from '#local/machines/execution-store.ts'
import { tellingEnds } from '#local/runtime/ends.ts'
import { machineArn } from '#local/runtime/names.ts'
import { synthesiseStack } from '#support/synthesise-stack.ts'
import type { ContractSuite, SuiteResult } from '../contract-suite.ts'
import { fetchJars, findJava } from '../implementations/cache.ts'

const artifact = 'software.amazon.event.ruler:event-ruler:2.1.0'
const OLDEST_JAVA = 11
const MOST_SHOWN = 10

interface Case {
  readonly pattern: unknown
  readonly event: unknown
  readonly what: string
  /** Whether one machine does on this event what the rule of the pattern is for. */
  readonly ours: boolean
}

/** The matcher that EventBridge runs: the template's rules hear of what one machine tells, and of nothing else. */
export const eventRulerSuite: ContractSuite = {
  name: 'event-ruler',
  run: async () => {
    const java = await findJava(OLDEST_JAVA)
    const jars = await fetchJars(artifact)
    if (java === undefined || jars === undefined)
      return { skipped: `There is no Java ${OLDEST_JAVA} or newer, or Maven could not bring ${artifact}.` }
    const cases = await allCases()
    const answers = await askRuler(java, jars, cases)
    return typeof answers === 'string' ? { skipped: answers } : compare(cases, answers)
  },
}

const compare = (cases: readonly Case[], theirs: readonly string[]): SuiteResult => {
  const different = cases.filter(({ ours }, index) => theirs[index] !== String(ours))
  for (const { what, ours } of different.slice(0, MOST_SHOWN))
    console.error(
      `${what}: ${ours ? 'one machine hears it, no rule does' : 'a rule hears it, one machine does not'}`,
    )
  return { passed: cases.length - different.length, failed: different.length }
}

/** Resolves to a sentence when the program cannot be compiled. */
const askRuler = async (
  java: string,
  jars: string,
  cases: readonly Case[],
): Promise<readonly string[] | string> => {
  const folder = await mkdtemp(join(tmpdir(), 'event-ruler-'))
  const run = promisify(execFile)
  try {
    const javac = java === 'java' ? 'javac' : join(dirname(java), 'javac')
    const source = join(import.meta.dirname, 'Matches.java')
    const compiled = await run(javac, ['-cp', join(jars, '*'), '-d', folder, source]).catch(String)
    if (typeof compiled === 'string')
      return `The program that asks event-ruler cannot be compiled: ${compiled}`
    const asked = run(java, ['-cp', `${folder}:${join(jars, '*')}`, 'Matches'], { maxBuffer: 2 ** 26 })
    asked.child.stdin?.end(
      cases.map(({ pattern, event }) => `${JSON.stringify([pattern, event])}\n`).join(''),
    )
    return (await asked).stdout.trim().split('\n')
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

interface Told {
  readonly what: string
  readonly event: Readonly<Record<string, unknown>>
  /** The rules that are to match, by what they are for. */
  readonly heard: ReadonlySet<string>
}

const names = Object.keys(machines) as MachineName[] // Of an object that has no other keys.

const ends: Partial<EndedExecution>[] = [
  { status: 'SUCCEEDED', output: '{}' },
  { status: 'SUCCEEDED', output: '{"jobId":1,"mends":{"isIncremental":true},"status":"success"}' },
  { status: 'FAILED', error: 'UserError' },
  { status: 'FAILED', error: 'States.Runtime' },
  { status: 'FAILED', error: 'States.DataLimitExceeded' },
  { status: 'TIMED_OUT', error: 'States.Timeout' },
  { status: 'ABORTED' },
  { status: 'ABORTED', error: 'storage.jobs.cancelled' },
]

/** Everything that executions tell, and whether one machine tells `tick` of it. */
const toldByExecutions = async (): Promise<Told[]> => {
  const told: Told[] = []
  for (const name of names) {
    const record: RunningExecution = {
      executionArn: `${machineArn(name)}:e`,
      stateMachineArn: machineArn(name),
      name: 'e',
      input: '{}',
      startDate: '2026-11-28T00:00:00.000Z',
      status: 'RUNNING',
    }
    const tellEnd = tellingEnds(async () => {})
    told.push({ what: `${name} begins`, event: statusChange(record), heard: new Set() })
    for (const end of ends) {
      const ended = { ...record, stopDate: record.startDate, ...end } as EndedExecution // By its status.
      const isHeard = tellEnd.isHeard(ended)
      told.push({
        what: `${name} ${JSON.stringify(end)}`,
        event: statusChange(ended),
        heard: new Set(isHeard ? ['tick'] : []),
      })
    }
  }
  return told
}

/** Rules by what they are for. */
const rulesOfTemplate = (): { pattern: unknown; of: string }[] => {
  const template = JSON.stringify(synthesiseStack().findResources('AWS::Events::Rule'))
  const named = template
    .replaceAll(/\{"Ref":"(Import|Export|Extract|StorageJobs)Machine\w+"\}/g, (_, id: string) =>
      JSON.stringify(machineArn(id === 'StorageJobs' ? 'jobs' : (id.toLowerCase() as MachineName))),
    )
    .replaceAll(/\{"Ref":"ImportLanding\w+"\}/g, JSON.stringify(landed.input.detail.bucket.name))
  const rules: { Properties: { EventPattern?: unknown } }[] = Object.values(JSON.parse(named))
  return rules.flatMap(({ Properties }) => {
    const { EventPattern: pattern } = Properties
    if (pattern === undefined) return []
    return [{ pattern, of: JSON.stringify(pattern).includes('aws.states') ? 'tick' : 'landing' }]
  })
}

/** Of several rules for one thing any may match. */
const allCases = async (): Promise<Case[]> => {
  const landing: Told = { what: 'an object lands', event: landed.input, heard: new Set(['landing']) }
  const told = [landing, ...(await toldByExecutions())]
  const groups = Map.groupBy(rulesOfTemplate(), ({ of }) => of)
  return [...groups].flatMap(([of, rules]) =>
    told.map(({ what, event, heard }) => ({
      pattern: rules.length === 1 ? rules[0]?.pattern : { $or: rules.map(({ pattern }) => pattern) },
      event,
      what: `${of}: ${what}`,
      ours: heard.has(of),
    })),
  )
}
