import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { executionContextName, readDefinition } from '#local/runtime/executions/definition.ts'
import { runMachine } from '#local/runtime/executions/run-machine.ts'
import { synthesiseStack } from '#support/synthesise-stack.ts'
import { definitionsOf } from '../../infra/resources-of.ts'
import type { ContractSuite } from '../contract-suite.ts'
import { fetchPythonTools, pythonTools } from '../implementations/cache.ts'
import { type Answer, randomScenarios, type Scenario } from './scenarios.ts'

/** Of each machine. */
const SCENARIOS = 100
const MOST_SHOWN = 5
/** As in the program that asks moto. */
const MOST_STATES = 200

/** What became of an execution: its end, the states that it entered, and what its tasks were called with. */
interface Outcome {
  readonly status: string
  readonly error?: string | null | undefined
  readonly output?: unknown
  readonly entered: readonly string[]
  readonly calls: readonly (readonly [state: string, input: unknown])[]
}

/** The machines of the template in moto's interpreter of the States Language and in ours, their tasks mocked: the same steps to the same end. */
export const machinesSuite: ContractSuite = {
  name: 'machines',
  run: async () => {
    const env = await fetchPythonTools()
    if (env === undefined) return { skipped: `Python could not bring ${pythonTools.join(' and ')}.` }
    const machines = definitionsOf(synthesiseStack())
    const moto = startMoto(env)
    const counts = { passed: 0, failed: 0, differing: 0 }
    try {
      for (const [index, [id, machine]] of machines.entries())
        for (const scenario of randomScenarios(machine, SCENARIOS, index)) {
          const theirs = await moto.run(scenario)
          // With answers that no function gives, a machine may go round until its history is full.
          if (theirs.entered.length > MOST_STATES) continue
          const [expected, found] = [theirs, await runOurs(scenario)].map(comparable)
          if (found === expected) counts.passed++
          else if (++counts.failed <= MOST_SHOWN)
            console.error(`${id}\n  moto: ${expected}\n  ours: ${found}`)
        }
    } finally {
      moto.stop()
    }
    return counts
  },
}

const startMoto = (env: NodeJS.ProcessEnv) => {
  const program = join(import.meta.dirname, 'interpret_machine.py')
  const child = spawn('python3', [program], { env, stdio: ['pipe', 'pipe', 'ignore'] })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  return {
    run: async (scenario: Scenario): Promise<Outcome> => {
      child.stdin.write(`${JSON.stringify(scenario)}\n`)
      const { value, done } = await lines.next()
      if (done === true) throw new Error('Moto’s interpreter ended')
      return JSON.parse(value)
    },
    stop: () => child.kill(),
  }
}

/** No wait and no pause lasts, as there. */
const runOurs = async ({ definition, input, answers }: Scenario): Promise<Outcome> => {
  const quick = definition.replaceAll(/"((?:Interval|MaxDelay)Seconds)":\d+/g, '"$1":0.000001')
  const read = readDefinition(quick, 'machine', () => true)
  // A task is told its resource: here that is the name of its state.
  const tasks = new Map([...read.tasks.keys()].map(state => [state, state]))
  const entered: string[] = []
  const calls: [string, unknown][] = []
  const ended = await runMachine({
    machine: { arn: `${arn}stateMachine:m0`, name: 'm0', definition: { ...read, tasks }, roleArn: 'role' },
    record: {
      executionArn: `${arn}execution:m0:e`,
      stateMachineArn: `${arn}stateMachine:m0`,
      name: 'e',
      input: JSON.stringify(input),
      startDate: new Date().toISOString(),
      status: 'RUNNING',
    },
    contextName: executionContextName,
    runTask: async (state, given) => {
      const asked = calls.filter(([called]) => called === state).length
      calls.push([state, given])
      const answer: Answer = answers[state]?.[asked] ?? { error: 'Made.Up' }
      if ('error' in answer) throw Object.assign(new Error('mocked'), { name: answer.error })
      return structuredClone(answer.result)
    },
    wait: async () => {},
    onStateEntered: ({ name }) => entered.push(name),
  }).outcome
  await nextTurn() // The last states are told of behind the end.
  const { status } = ended
  return 'output' in ended
    ? { status, error: null, output: JSON.parse(ended.output), entered, calls }
    : { status, error: ended.error, output: null, entered, calls }
}

const arn = 'arn:aws:states:us-east-1:123456789012:'

/** Members in one order, without what each execution has of its own. */
const comparable = (outcome: Outcome): string =>
  JSON.stringify(outcome, (_, value) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  )
    .replaceAll(/arn:aws:states:[^"\\]*/g, 'ARN')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+(Z|\+00:00)/g, 'TIME')
