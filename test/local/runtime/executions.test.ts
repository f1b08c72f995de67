import { describe, expect, it } from 'vitest'
import { readDefinition } from '#local/runtime/executions/definition.ts'
import { ExecutionStore } from '#local/runtime/executions/execution-store.ts'
import { Executions } from '#local/runtime/executions/executions.ts'
import { folderUntilEnd } from '#support/until-end.ts'

const folder = folderUntilEnd()

const functionArn = 'arn:aws:lambda:us-east-1:000000000000:function:f'
const machineArn = 'arn:aws:states:us-east-1:000000000000:stateMachine:m'
const task = { Type: 'Task', Resource: functionArn }

type Task = (input: unknown) => Promise<unknown>
let folders = 0

const open = async (
  states: Record<string, object>,
  run: Task,
  name = `store-${++folders}`,
  extra: object = {},
) => {
  const definition = { StartAt: Object.keys(states)[0], States: states, ...extra }
  return new Executions({
    store: await ExecutionStore.open(`${folder}/${name}`),
    machines: [
      {
        arn: machineArn,
        name: 'm',
        definition: readDefinition(JSON.stringify(definition), 'm', arn => arn === functionArn),
        roleArn: 'role',
      },
    ],
    runTask: (_resource, input) => run(input),
    log: () => {},
  })
}

const run = async (
  states: Record<string, object>,
  runTask: Task,
  input: unknown = {},
  extra: object = {},
) => {
  const executions = await open(states, runTask, undefined, extra)
  const { executionArn } = await executions.start(machineArn, JSON.stringify(input))
  return executions.finished(executionArn)
}

const failing = (name: string) => async () => {
  throw Object.assign(new Error('because'), { name })
}
const never = () => new Promise<never>(() => {})

describe('an execution', () => {
  it('ends with the output of its last state', async () => {
    const ended = await run({ A: { ...task, End: true } }, async input => ({ got: input }), { a: 1 })
    expect(ended).toMatchObject({
      status: 'SUCCEEDED',
      output: '{"got":{"a":1}}',
      stopDate: expect.any(String),
    })
  })

  it('replaces the whole input where the result path is $', async () => {
    const ended = await run({ A: { ...task, ResultPath: '$', End: true } }, async () => 7, { a: 1 })
    expect(ended).toMatchObject({ output: '7' })
  })

  it('is described in the context object, also inside a Map', async () => {
    const seen = {
      'id.$': '$$.Execution.Id',
      'input.$': '$$.Execution.Input',
      'machine.$': '$$.StateMachine.Name',
    }
    const each = { StartAt: 'B', States: { B: { Type: 'Pass', Parameters: seen, End: true } } }
    const ended = await run(
      { A: { Type: 'Map', ItemsPath: '$.items', ItemProcessor: each, End: true } },
      never,
      {
        items: [1],
      },
    )
    expect(JSON.parse('output' in ended ? ended.output : '')).toEqual([
      { id: ended.executionArn, input: { items: [1] }, machine: 'm' },
    ])
  })

  it('knows when each of its states was entered', async () => {
    const states = {
      A: { ...task, ResultPath: null, Next: 'B' },
      B: { Type: 'Pass', Parameters: { 'at.$': '$$.State.EnteredTime' }, End: true },
    }
    let left = 0
    const ended = await run(states, async () => {
      const entered = Date.now()
      while (Date.now() === entered) await new Promise(setImmediate)
      left = Date.now()
      return null
    })
    const { at } = JSON.parse('output' in ended ? ended.output : '{}')
    expect(Date.parse(at)).toBeGreaterThanOrEqual(left)
  })

  it('fails with the name and cause of the error that nothing caught', async () => {
    expect(await run({ A: { ...task, End: true } }, failing('UserError'))).toMatchObject({
      status: 'FAILED',
      error: 'UserError',
      cause: 'because',
    })
  })

  describe('of a distributed Map', () => {
    const mapOver = (states: Record<string, object>, more: object = {}) => ({
      A: {
        Type: 'Map',
        ItemsPath: '$.items',
        ItemProcessor: {
          ProcessorConfig: { Mode: 'DISTRIBUTED', ExecutionType: 'STANDARD' },
          StartAt: 'B',
          States: states,
        },
        End: true,
        ...more,
      },
      Caught: { Type: 'Pass', End: true },
    })
    const catchAll = { Catch: [{ ErrorEquals: ['States.ALL'], Next: 'Caught', ResultPath: '$.failure' }] }
    const noSuchPath = { Variable: '$.none', NumericEquals: 1, Next: 'C' }
    const choice = { Type: 'Choice', Choices: [noSuchPath], Default: 'C' }

    it('gives what its children gave, in order', async () => {
      const selected = {
        ItemSelector: { 'item.$': '$$.Map.Item.Value', 'at.$': '$$.Map.Item.Index', 'of.$': '$.of' },
        MaxConcurrency: 2,
        ResultSelector: { 'all.$': '$' },
        ResultPath: '$.result',
      }
      const ended = await run(mapOver({ B: { ...task, End: true } }, selected), async input => input, {
        items: ['x', 'y', 'z'],
        of: 7,
      })
      expect(JSON.parse('output' in ended ? ended.output : '{}').result).toEqual({
        all: ['x', 'y', 'z'].map((item, at) => ({ item, at, of: 7 })),
      })
    })

    it.each<[string, Record<string, object>]>([
      ['that fails', { B: { Type: 'Fail', Error: 'Boom', Cause: 'because' } }],
      ['whose task fails', { B: { ...task, End: true } }],
      ['that cannot catch its own error', { B: choice, C: { Type: 'Succeed' } }],
    ])('has an error of its own for a child %s, which it catches', async (_case, states) => {
      const ended = await run(mapOver(states, catchAll), failing('UserError'), { items: [1, 2] })
      expect(ended).toMatchObject({
        status: 'SUCCEEDED',
        output: expect.stringContaining('"Error":"States.ExceedToleratedFailureThreshold"'),
      })
    })

    it('retries with new children', async () => {
      let calls = 0
      const retry = {
        Retry: [
          { ErrorEquals: ['States.ExceedToleratedFailureThreshold'], IntervalSeconds: 0.01, MaxAttempts: 1 },
        ],
      }
      const ended = await run(
        mapOver({ B: { ...task, End: true } }, retry),
        async () => (++calls === 1 ? failing('UserError')() : calls),
        { items: [1] },
      )
      expect(ended).toMatchObject({ status: 'SUCCEEDED', output: '[2]' })
    })

    it('has no children where its own input is wrong, and nothing catches that', async () => {
      const ended = await run(mapOver({ B: { Type: 'Succeed' } }, catchAll), never, { items: 7 })
      expect(ended).toMatchObject({ status: 'FAILED', error: 'States.Runtime' })
    })
  })

  it('passes a caught error to the next state', async () => {
    const states = {
      A: { ...task, Catch: [{ ErrorEquals: ['UserError'], Next: 'B', ResultPath: '$.failure' }], End: true },
      B: { Type: 'Pass', End: true },
    }
    expect(await run(states, failing('UserError'), { a: 1 })).toMatchObject({
      output: '{"a":1,"failure":{"Error":"UserError","Cause":"because"}}',
    })
  })

  it('retries the errors that a retrier names', async () => {
    let attempts = 0
    const states = {
      A: {
        ...task,
        Retry: [{ ErrorEquals: ['TransientError'], IntervalSeconds: 0.01, MaxAttempts: 2 }],
        End: true,
      },
    }
    const ended = await run(states, async input => (++attempts < 3 ? failing('TransientError')() : input))
    expect([ended.status, attempts]).toEqual(['SUCCEEDED', 3])
  })

  it('fails when a state returns more than 256 KB', async () => {
    expect(await run({ A: { ...task, End: true } }, async () => 'x'.repeat(256 * 1024))).toMatchObject({
      status: 'FAILED',
      error: 'States.DataLimitExceeded',
    })
  })

  it('fails for good then: no catcher takes a result that is too long', async () => {
    const states = {
      A: { ...task, Catch: [{ ErrorEquals: ['States.ALL'], Next: 'B' }], End: true },
      B: { Type: 'Pass', End: true },
    }
    expect(await run(states, async () => 'x'.repeat(256 * 1024))).toMatchObject({
      status: 'FAILED',
      error: 'States.DataLimitExceeded',
    })
  })

  it('ends when its history is full', async () => {
    const states = {
      A: { Type: 'Pass', Next: 'B' },
      B: { Type: 'Choice', Choices: [{ Variable: '$.a', NumericEquals: 1, Next: 'A' }] },
    }
    expect(await run(states, never, { a: 1 })).toMatchObject({
      status: 'FAILED',
      error: 'States.Runtime',
      cause: 'The execution reached the maximum number of history events (25000).',
    })
  })

  it('times out as the machine says', async () => {
    const states = { A: { ...task, End: true } }
    expect(await run(states, never, {}, { TimeoutSeconds: 1 })).toMatchObject({ status: 'TIMED_OUT' })
  })

  it('is aborted with the reason that is given', async () => {
    const executions = await open({ A: { ...task, End: true } }, never)
    const { executionArn } = await executions.start(machineArn)
    expect(await executions.stop(executionArn, 'Enough', 'of this')).toMatchObject({
      status: 'ABORTED',
      error: 'Enough',
      cause: 'of this',
    })
  })
})

describe('names', () => {
  it('returns the running execution for the same name and input', async () => {
    let calls = 0
    const executions = await open({ A: { ...task, End: true } }, () => {
      calls += 1
      return never()
    })
    const started = await Promise.all(
      Array.from({ length: 20 }, () => executions.start(machineArn, '{"a": 1}', 'once')),
    )
    expect(new Set(started.map(({ startDate }) => startDate)).size).toBe(1)
    expect(calls).toBe(1)
    executions.close()
  })

  it('refuses the same name with another input, and after the end', async () => {
    const executions = await open({ A: { ...task, End: true } }, async () => 1)
    const { executionArn } = await executions.start(machineArn, '{}', 'once')
    const refusal = { name: 'ExecutionAlreadyExists' }
    await expect(executions.start(machineArn, '{"b":1}', 'once')).rejects.toMatchObject(refusal)
    await executions.finished(executionArn)
    await expect(executions.start(machineArn, '{}', 'once')).rejects.toMatchObject(refusal)
  })

  it.each(['', 'a b', 'a/b', 'a:b', 'x'.repeat(81)])('refuses the name %j', async name => {
    const executions = await open({ A: { ...task, End: true } }, async () => 1)
    await expect(executions.start(machineArn, '{}', name)).rejects.toMatchObject({ name: 'InvalidName' })
  })

  it('refuses an input that is not JSON', async () => {
    const executions = await open({ A: { ...task, End: true } }, async () => 1)
    await expect(executions.start(machineArn, '{')).rejects.toMatchObject({ name: 'InvalidExecutionInput' })
  })
})

describe('after a restart', () => {
  const states = {
    A: { ...task, Parameters: { 'since.$': '$$.Execution.StartTime', 'in.$': '$' }, End: true },
  }

  it('resumes running executions, with name, input and start time', async () => {
    const before = await open(states, never, 'shared')
    const { executionArn, startDate } = await before.start(machineArn, '{"a":1}', 'long')
    before.close()

    const after = await open(states, async input => input, 'shared')
    expect(after.resume()).toBe(1)
    expect(await after.finished(executionArn)).toMatchObject({
      status: 'SUCCEEDED',
      output: JSON.stringify({ since: startDate, in: { a: 1 } }),
    })
  })

  it('still describes ended executions', async () => {
    const after = await open(states, never, 'shared')
    expect(after.resume()).toBe(0)
    expect(after.list(machineArn).map(({ name, status }) => [name, status])).toEqual([['long', 'SUCCEEDED']])
  })
})
