import { afterAll, expect, it } from 'vitest'
import { OUT_OF_SPACE } from '#lib/errors/out-of-space.ts'
import { DurableFiles } from '#local/durable/durable-files.ts'
import { EventRouter } from '#local/runtime/events/event-router.ts'
import type { StateMachine } from '#local/runtime/executions/definition.ts'
import { readDefinition } from '#local/runtime/executions/definition.ts'
import { ExecutionStore } from '#local/runtime/executions/execution-store.ts'
import { Executions } from '#local/runtime/executions/executions.ts'
import { runTask } from '#local/runtime/executions/task-resources.ts'
import { invocationError } from '#local/runtime/lambda/function-error.ts'
import { Queues } from '#local/runtime/queues/queues.ts'
import { RolePolicies } from '#local/runtime/role-policies.ts'
import { eventually } from '../../support/eventually.ts'
import { fillableDisk } from '../../support/fillable-disk.ts'
import { temporaryFolder } from './temporary-folder.ts'

const folder = temporaryFolder()
afterAll(() => folder.remove())

const functionArn = 'arn:aws:lambda:us-east-1:000000000000:function:f'
const roleArn = 'arn:aws:iam::000000000000:role/r'
const Statement = [{ Effect: 'Allow' as const, Action: 'lambda:InvokeFunction', Resource: functionArn }]
const policies = new RolePolicies(new Map([[roleArn, { Version: '2012-10-17', Statement }]]))
const task = { Type: 'Task', Resource: functionArn, End: true }
const machine: StateMachine = {
  arn: 'arn:aws:states:us-east-1:000000000000:stateMachine:m',
  name: 'm',
  definition: readDefinition(JSON.stringify({ StartAt: 'A', States: { A: task } }), 'm', () => true),
  roleArn,
}

it('an execution that cannot be recorded is not started, and its end is recorded when there is room', async () => {
  const { disk, state } = fillableDisk()
  const files = new DurableFiles({ disk })
  const lines: string[] = []
  const executions = new Executions({
    store: await ExecutionStore.open(`${folder.path}/executions`, { files }),
    machines: [machine],
    runTask: async () => {
      state.isFull = true
      return 'done'
    },
    log: line => lines.push(line),
    fullDiskPauseMs: 1,
  })
  state.isFull = true
  await expect(executions.start(machine.arn, '{}', 'first')).rejects.toMatchObject({ code: 'ENOSPC' })
  expect(executions.list(machine.arn)).toEqual([])

  state.isFull = false
  const { executionArn } = await executions.start(machine.arn, '{}', 'first')
  await eventually(() => expect(lines).toEqual([expect.stringContaining('trying until there is room')]))
  expect(executions.describe(executionArn).status).toBe('RUNNING')
  state.isFull = false
  expect(await executions.finished(executionArn)).toMatchObject({ status: 'SUCCEEDED', output: '"done"' })
})

it('a task waits until there is room, and uses up none of its machine’s retries', async () => {
  const queues = await Queues.open(`${folder.path}/queues`, [])
  const lines: string[] = []
  let attempts = 0
  const services = {
    functions: {
      has: () => true,
      invoke: async () => {
        attempts += 1
        if (attempts < 4) throw invocationError('TransientError', OUT_OF_SPACE)
        return 'done'
      },
    },
    queues,
    policies,
    log: (line: string) => lines.push(line),
    fullDiskPauseMs: 1,
  }
  const context = { stateMachine: machine, executionArn: 'arn:aws:states:::execution:m:name' }
  expect(await runTask(functionArn, {}, context, services)).toBe('done')
  expect([attempts, lines.length]).toEqual([4, 1])
  expect(lines[0]).toContain('the disk is full')

  const failing = { ...services.functions, invoke: () => Promise.reject(invocationError('UserError', 'no')) }
  await expect(runTask(functionArn, {}, context, { ...services, functions: failing })).rejects.toMatchObject({
    name: 'UserError',
  })
})

it('an event whose target has no room stays with its sender, and is no dead letter', async () => {
  let deadLetters = 0
  const Target = { Id: 't', Arn: functionArn, DeadLetterConfig: { Arn: 'arn:queue' } }
  const router = new EventRouter({
    rules: [
      {
        arn: 'arn:aws:events:us-east-1:000000000000:rule/r',
        logicalId: 'R',
        properties: { EventPattern: { source: ['a'] }, State: 'ENABLED', Targets: [Target] },
      },
    ],
    isKnownTarget: () => true,
    log: () => {},
    deadLetter: async () => {
      deadLetters += 1
    },
    deliver: () => Promise.reject(Object.assign(new Error('write'), { code: 'ENOSPC' })),
  })
  await expect(router.deliver({ source: 'a', id: '1' })).rejects.toMatchObject({ code: 'ENOSPC' })
  expect(deadLetters).toBe(0)
})
