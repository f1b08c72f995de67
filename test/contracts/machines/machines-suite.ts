import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { type MachineName, machineOf } from '#infra/system.ts'
import { readJson } from '#lib/json/read-json.ts'
import { type Call, drive } from '#local/machines/drive.ts'
import { synthesiseStack } from '#support/synthesise-stack.ts'
import { definitionsOf } from '../../infra/resources-of.ts'
import type { ContractSuite } from '../contract-suite.ts'
import { fetchPythonTools, pythonTools } from '../implementations/cache.ts'
import { type Answers, randomScenarios } from './scenarios.ts'

/** Of each machine. */
const SCENARIOS = 100
const MOST_SHOWN = 5
/** As in the program that asks moto. */
const MOST_STATES = 200

/** What became of an execution: its end, and what was called with what. */
interface Outcome {
  readonly status: string
  readonly error?: string | null | undefined
  /** Read as JSON, where it is. */
  readonly cause?: unknown
  readonly output?: unknown
  readonly calls: readonly (readonly [state: string, input: unknown])[]
}

const ids: Readonly<Record<string, MachineName>> = {
  ImportMachine: 'import',
  ExportMachine: 'export',
  ExtractMachine: 'extract',
  StorageJobsMachine: 'jobs',
}

/** The machines of the template in moto's interpreter of the States Language and in our loop: the same calls to the same end. */
export const machinesSuite: ContractSuite = {
  name: 'machines',
  run: async () => {
    const env = await fetchPythonTools()
    if (env === undefined) return { skipped: `Python could not bring ${pythonTools.join(' and ')}.` }
    const moto = startMoto(env)
    const counts = { passed: 0, failed: 0, differing: 0 }
    try {
      for (const [index, [id, machine]] of definitionsOf(synthesiseStack()).entries()) {
        const name = ids[id.replace(/[0-9A-F]{8}$/, '')]
        if (name === undefined) throw new Error(`There is no machine ${id}`)
        for (const answers of randomScenarios(machineOf(name).polls, SCENARIOS, index)) {
          const theirs = await moto.run(inMoto(machine), answers)
          // With answers that no function gives, a machine may go round until its history is full.
          if (theirs.entered.length > MOST_STATES) continue
          const [expected, found] = [theirs, await runOurs(name, answers)].map(comparable)
          if (found === expected) counts.passed++
          else if (++counts.failed <= MOST_SHOWN)
            console.error(`${id}\n  moto: ${expected}\n  ours: ${found}`)
        }
      }
    } finally {
      moto.stop()
    }
    return counts
  },
}

/** One part at a time, so that the order of all calls is known. Moto loses what the children of a distributed Map give. */
const inMoto = (machine: unknown): string =>
  JSON.stringify(machine, (key, value) =>
    key === 'ProcessorConfig' ? { Mode: 'INLINE' } : key === 'MaxConcurrency' ? 1 : value,
  )

const startMoto = (env: NodeJS.ProcessEnv) => {
  const program = join(import.meta.dirname, 'interpret_machine.py')
  const child = spawn('python3', [program], { env, stdio: ['pipe', 'pipe', 'ignore'] })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  return {
    run: async (definition: string, answers: Answers): Promise<Outcome & { entered: readonly string[] }> => {
      child.stdin.write(`${JSON.stringify({ definition, input: INPUT, answers })}\n`)
      const { value, done } = await lines.next()
      if (done === true) throw new Error('Moto’s interpreter ended')
      return JSON.parse(value)
    },
    stop: () => child.kill(),
  }
}

const INPUT = { asked: 'for' }

/** No wait and no pause lasts, as there. */
const runOurs = async (name: MachineName, answers: Answers): Promise<Outcome> => {
  const calls: [string, unknown][] = []
  let calling = ''
  const call: Call = async event => {
    const asked = calls.filter(([called]) => called === calling).length
    calls.push([calling, event])
    const answer = answers[calling]?.[asked] ?? { error: 'Made.Up' }
    if ('error' in answer) throw Object.assign(new Error('mocked'), { name: answer.error })
    return structuredClone(answer.result)
  }
  const ended = await drive({
    input: INPUT,
    execution: 'e',
    since: new Date().toISOString(),
    step: call,
    poll: call,
    partsAtOnce: 1,
    isLong: machineOf(name).isLong,
    wait: async () => {},
    onCall: which => {
      calling = which
    },
  })
  return ended.status === 'SUCCEEDED'
    ? { status: ended.status, error: null, cause: null, output: ended.output, calls }
    : { status: ended.status, error: ended.error, cause: readJson(ended.cause), output: null, calls }
}

const OF_MACHINES = ['Step', 'StepAfterFailure', 'Part', 'Poll']

/** Members in one order, without what each execution has of its own and without what our loop does not count. */
const comparable = ({ status, error, cause, output, calls }: Outcome): string =>
  JSON.stringify(
    { status, error, cause, output, calls: calls.filter(([state]) => OF_MACHINES.includes(state)) },
    (key, value) => {
      if (['execution', 'since', 'stepsLeft'].includes(key)) return undefined
      return typeof value === 'object' && value !== null && !Array.isArray(value)
        ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
        : value
    },
  )
