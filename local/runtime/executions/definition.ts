import type { StateMachineDefinition } from 'aws-local-stepfunctions'
import { z } from 'zod'
import { type Refusal, UnsupportedError, unsupported } from '../template/unsupported.ts'
import { asChildMap, type ChildMap, mapAsTask } from './child-executions.ts'
import { asEarlyWait, type EarlyWait, waitAsTask } from './early-wait.ts'
import { type Machine, machineSchema, type State } from './state-schema.ts'

/** A checked definition in the words of the interpreter. */
interface Definition {
  readonly machine: StateMachineDefinition
  /** Resource ARN of each Task state. State names are unique in the whole machine. */
  readonly tasks: ReadonlyMap<string, string>
  readonly earlyWaits: ReadonlyMap<string, EarlyWait>
  /** The distributed Map of each state that runs in its child executions. They have histories of their own. */
  readonly mapOf: ReadonlyMap<string, string>
  /** By the names of the distributed Maps, which are tasks to the interpreter. */
  readonly childMaps: ReadonlyMap<string, ChildMap>
}

/** One state machine of the template, its definition checked. */
export interface StateMachine {
  readonly arn: string
  readonly name: string
  readonly definition: Definition
  readonly roleArn: string
}

/** Step Functions quotas: input or output of a state or an execution. */
export const largestDataBytes = 256 * 1024

/** Where the interpreter finds the execution's facts; it overwrites its own `Execution` inside Map and Parallel. */
export const executionContextName = 'ThisExecution'

/**
 * Reads a machine's definition and refuses by state and field what would not mean the same here as in the service.
 *
 * `isTask` says which Task resources can be run. `where` names the machine in messages.
 */
export const readDefinition = (
  definitionString: string,
  where: string,
  isTask: (resource: string) => boolean,
): Definition => {
  const parsed = machineSchema.safeParse(parseJson(definitionString, where))
  if (!parsed.success) throw unsupported(where, z.prettifyError(parsed.error))

  const refusals: Refusal[] = []
  const tasks = new Map<string, string>()
  const earlyWaits = new Map<string, EarlyWait>()
  const names = new Set<string>()
  const mapOf = new Map<string, string>()
  const childMaps = new Map<string, ChildMap>()
  const prepare = (machine: Machine, map?: string): Record<string, unknown> => ({
    ...machine,
    States: Object.fromEntries(
      Object.entries(machine.States).map(([name, state]) => {
        const at = `${where} States.${name}`
        const refuse = (why: string) => refusals.push({ where: at, why })
        // Handlers are given to the interpreter by state name alone.
        if (names.has(name)) refuse('this name is used twice')
        names.add(name)
        if (map !== undefined) mapOf.set(name, map)
        if (state.Type === 'Task') {
          if (!isTask(state.Resource)) refuse(`the resource ${state.Resource} is not known`)
          tasks.set(name, state.Resource)
        }
        const earlyWait = asEarlyWait(state)
        if (earlyWait) {
          earlyWaits.set(name, earlyWait)
          return [name, waitAsTask(simple(state, refuse))]
        }
        return [name, prepareState(state, refuse, { name, map })]
      }),
    ),
  })
  const prepareState = (
    state: State,
    refuse: (why: string) => void,
    { name, map }: { name: string; map: string | undefined },
  ): Record<string, unknown> => {
    if (state.Type === 'Map') {
      const isDistributed = state.ItemProcessor.ProcessorConfig?.Mode === 'DISTRIBUTED'
      const processor = prepare(state.ItemProcessor, isDistributed ? name : map)
      const prepared = { ...simple(state, refuse), ItemProcessor: processor }
      if (!isDistributed) return prepared
      if (state.MaxConcurrencyPath) refuse('MaxConcurrencyPath is not known for a distributed Map')
      childMaps.set(name, asChildMap(prepared))
      return mapAsTask(prepared)
    }
    if (state.Type === 'Parallel')
      return { ...simple(state, refuse), Branches: state.Branches.map(branch => prepare(branch, map)) }
    return simple(state, refuse)
  }

  const machine = prepare(parsed.data)
  if (refusals.length > 0) throw new UnsupportedError(refusals)
  // The schema has read every field, and the interpreter validates the whole again.
  return { machine: machine as unknown as StateMachineDefinition, tasks, earlyWaits, mapOf, childMaps }
}

const parseJson = (text: string, where: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    throw unsupported(where, 'its definition is not JSON')
  }
}

/** The state's own fields: paths checked and turned, `ResultPath: "$"` left out since that is the default. */
const simple = (state: State, refuse: (why: string) => void): Record<string, unknown> => {
  const { ItemProcessor: _processor, Branches: _branches, ...fields } = state as Record<string, unknown>
  return Object.fromEntries(
    Object.entries(fields)
      .filter(([key, value]) => !(key === 'ResultPath' && value === '$'))
      .map(([key, value]) => [key, withPaths(key, value, refuse)]),
  )
}

const withPaths = (key: string, value: unknown, refuse: (why: string) => void): unknown => {
  if (Array.isArray(value)) return value.map(item => withPaths('', item, refuse))
  if (typeof value === 'object' && value !== null) {
    const isCatcher = 'ErrorEquals' in value && 'Next' in value
    return Object.fromEntries(
      Object.entries(value)
        .filter(([inner, item]) => !(isCatcher && inner === 'ResultPath' && item === '$'))
        .map(([inner, item]) => [inner, withPaths(inner, item, refuse)]),
    )
  }
  const isPath = /(\.\$|Path|^Variable)$/.test(key) && typeof value === 'string'
  if (!isPath || key === 'ResultPath') return value
  const reason = whyNotSupported(value)
  if (reason) refuse(`${key}: ${value}: ${reason}`)
  return value.replaceAll('$$.Execution', `$$$$.${executionContextName}`)
}

/** The intrinsic functions whose results the interpreter gets right; from others it drops every backslash. */
const safeFunctions = new Set(
  ['Array', 'ArrayPartition', 'ArrayContains', 'ArrayRange', 'ArrayLength', 'ArrayUnique']
    .concat(['Base64Encode', 'Hash', 'JsonMerge', 'MathAdd', 'MathRandom', 'StringSplit', 'UUID'])
    .map(name => `States.${name}`),
)

const contextPaths =
  /^\$\$\.(Execution\.(Id|Name|Input|StartTime)|StateMachine\.(Id|Name)|State\.EnteredTime|Map\.Item\.(Index|Value))\b/

const whyNotSupported = (expression: string): string | undefined => {
  for (const [name] of expression.matchAll(/States\.\w+/g))
    if (!safeFunctions.has(name)) return `the function ${name} is not known`
  for (const [path] of expression.matchAll(/\$\$[\w.]*/g))
    if (!contextPaths.test(path)) return `the context object has no ${path}`
  // With no match the service gives an empty list, and the interpreter an error.
  if (/\[\s*(\*|\?|-?\d*:)|\.\./.test(expression)) return 'a path may point to one value only'
  return undefined
}
