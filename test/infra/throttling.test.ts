import { describe, expect, it } from 'vitest'
import { synthesiseStack } from '../support/synthesise-stack.ts'
import { resourcesOf } from './resources-of.ts'

interface Retry {
  ErrorEquals: string[]
  IntervalSeconds: number
  BackoffRate: number
  MaxAttempts: number
  MaxDelaySeconds: number
  JitterStrategy?: string
}

interface State {
  Type: string
  Resource?: string
  Retry?: Retry[]
  ItemProcessor?: { States: Record<string, State> }
}

const THROTTLED = 'Lambda.TooManyRequestsException'

/** The steps of a machine that run a function, those inside a Map too. */
const functionSteps = (states: Record<string, State>): [string, State][] =>
  Object.entries(states).flatMap(([name, state]) => [
    // Other services are named as `arn:aws:states:::sqs:sendMessage`.
    ...(state.Type === 'Task' && !state.Resource?.includes(':states:::')
      ? [[name, state] satisfies [string, State]]
      : []),
    ...functionSteps(state.ItemProcessor?.States ?? {}),
  ])

const machineSteps = (): [string, State][] =>
  resourcesOf(synthesiseStack(), 'AWS::StepFunctions::StateMachine').flatMap(([, { Properties }]) => {
    const definition = Properties['DefinitionString'] as { 'Fn::Join': [string, unknown[]] } // As CDK writes it.
    const [separator, parts] = definition['Fn::Join']
    const text = parts.map(part => (typeof part === 'string' ? part : 'aws')).join(separator)
    return functionSteps(JSON.parse(text).States)
  })

/** A jittered wait is half as long as the longest, on average. */
const secondsOnAverage = ({ IntervalSeconds, BackoffRate, MaxAttempts, MaxDelaySeconds }: Retry): number =>
  Array.from({ length: MaxAttempts }, (_, attempt) =>
    Math.min(IntervalSeconds * BackoffRate ** attempt, MaxDelaySeconds),
  ).reduce((sum, seconds) => sum + seconds / 2, 0)

describe('a function that is throttled', () => {
  const steps = machineSteps()

  it('is a step of every kind', () => {
    expect(steps.map(([name]) => name)).toEqual(
      expect.arrayContaining(['Step', 'StepAfterFailure', 'Part', 'Poll']),
    )
  })

  it.each(steps)('%s is tried again for an hour, with jitter', (_, { Retry = [] }) => {
    const [first] = Retry.filter(({ ErrorEquals }) => ErrorEquals.includes(THROTTLED))
    if (!first) throw new Error('Throttling is not retried')
    expect(first.JitterStrategy).toBe('FULL')
    expect(secondsOnAverage(first)).toBeGreaterThanOrEqual(3600)
    expect(secondsOnAverage(first)).toBeLessThan(2 * 3600)
  })
})

describe('reserved concurrency', () => {
  const reservedOf = (context: Record<string, unknown>) =>
    resourcesOf(synthesiseStack(context), 'AWS::Lambda::Function')
      .filter(([, { Properties }]) => 'ReservedConcurrentExecutions' in Properties)
      .map(([id, { Properties }]) => [
        id.replace(/[0-9A-F]{8}$/, ''),
        Properties['ReservedConcurrentExecutions'],
      ])

  it('is that of the configuration, so hooks leave room for the API', () => {
    expect(reservedOf({ sizes: { concurrency: { 'start-import': 300, 'storage-api': 200 } } })).toEqual(
      expect.arrayContaining([
        [expect.stringContaining('StartImport'), 300],
        [expect.stringContaining('StorageApi'), 200],
      ]),
    )
  })

  it('is nothing by default: a new account may run ten functions, and reserve none', () => {
    expect(reservedOf({})).toEqual([])
  })
})
