import { expect, it } from 'vitest'
import { readDefinition } from '#local/runtime/executions/definition.ts'
import { ExecutionStore } from '#local/runtime/executions/execution-store.ts'
import { Executions } from '#local/runtime/executions/executions.ts'
import { folderUntilEnd } from '#support/until-end.ts'

const folder = folderUntilEnd()

const functionArn = 'arn:aws:lambda:us-east-1:000000000000:function:f'
const arnOf = (name: string) => `arn:aws:states:us-east-1:000000000000:stateMachine:${name}`
const task = { Type: 'Task', Resource: functionArn }

/** No test lasts so long. */
const HOUR = 3600

/** Looks at a job until it is done; and the job, which ends when the test says so. */
const machines = {
  poll: {
    Look: { ...task, ResultPath: '$.job', Next: 'IsDone' },
    IsDone: {
      Type: 'Choice',
      Choices: [{ Variable: '$.job.isDone', BooleanEquals: true, Next: 'Done' }],
      Default: 'Wait',
    },
    Wait: { Type: 'Wait', SecondsPath: '$.job.waitSeconds', Next: 'Look' },
    Done: { Type: 'Succeed' },
  },
  jobs: { Work: { ...task, End: true } },
}

let folders = 0
const open = async (look: () => unknown, { seesAllEnds = false } = {}) => {
  const { promise: end, resolve: endJob } = Promise.withResolvers<unknown>()
  const executions = new Executions({
    store: await ExecutionStore.open(`${folder}/store-${++folders}`),
    machines: Object.entries(machines).map(([name, States]) => ({
      arn: arnOf(name),
      name,
      definition: readDefinition(
        JSON.stringify({ StartAt: Object.keys(States)[0], States }),
        name,
        arn => arn === functionArn,
      ),
      roleArn: 'role',
    })),
    runTask: async (_resource, _input, { stateMachine }) => (stateMachine.name === 'poll' ? look() : end),
    seesAllEnds,
    log: () => {},
  })
  return { executions, endJob: (result: unknown = {}) => endJob(result) }
}

const waiting = { isDone: false, waitSeconds: HOUR, waitsFor: ['job-1'] }

it('a wait ends with the execution that it is for', async () => {
  let looks = 0
  const { executions, endJob } = await open(() => (++looks === 1 ? waiting : { isDone: true }))
  await executions.start(arnOf('jobs'), '{}', 'job-1')
  const { executionArn } = await executions.start(arnOf('poll'))
  await expect
    .poll(() => executions.history(executionArn).at(-1))
    .toMatchObject({ name: 'Wait', type: 'Wait' })
  expect(looks).toBe(1)
  endJob()
  expect(await executions.finished(executionArn)).toMatchObject({ status: 'SUCCEEDED' })
  expect(looks).toBe(2)
})

it('a wait ends when another execution has done that work along with its own', async () => {
  let looks = 0
  const { executions, endJob } = await open(() =>
    ++looks === 1 ? { ...waiting, waitsFor: ['job-2'] } : { isDone: true },
  )
  await executions.start(arnOf('jobs'), '{}', 'job-1')
  const { executionArn } = await executions.start(arnOf('poll'))
  await expect.poll(() => executions.history(executionArn).at(-1)?.name).toBe('Wait')
  endJob({ alsoEnded: ['job-2'] })
  expect(await executions.finished(executionArn)).toMatchObject({ status: 'SUCCEEDED' })
})

it('a wait for an execution that runs here is not cut short by looks at it', async () => {
  let looks = 0
  const look = () => (++looks === 1 ? { ...waiting, waitSeconds: 0 } : { isDone: true })
  const { executions, endJob } = await open(look, { seesAllEnds: true })
  await executions.start(arnOf('jobs'), '{}', 'job-1')
  const { executionArn } = await executions.start(arnOf('poll'))
  await expect.poll(() => executions.history(executionArn).at(-1)?.name).toBe('Wait')
  await new Promise(resolve => setTimeout(resolve, 20))
  expect(looks).toBe(1)
  endJob()
  expect(await executions.finished(executionArn)).toMatchObject({ status: 'SUCCEEDED' })
  expect(looks).toBe(2)
})

it('a wait for what may run elsewhere lasts no longer than was asked for', async () => {
  let looks = 0
  const { executions } = await open(() => (++looks === 1 ? { ...waiting, waitSeconds: 0 } : { isDone: true }))
  const { executionArn } = await executions.start(arnOf('poll'))
  expect(await executions.finished(executionArn)).toMatchObject({ status: 'SUCCEEDED' })
})

it('an end between the look and the wait is not missed', async () => {
  let looks = 0
  const { executions, endJob } = await open(async () => {
    if (++looks > 1) return { isDone: true }
    endJob()
    await executions.finished(executionArnOf('jobs', 'job-1'))
    return waiting
  })
  await executions.start(arnOf('jobs'), '{}', 'job-1')
  const { executionArn } = await executions.start(arnOf('poll'))
  expect(await executions.finished(executionArn)).toMatchObject({ status: 'SUCCEEDED' })
})

it('an end wakes once: what is not done by then is waited for', async () => {
  let looks = 0
  const { executions, endJob } = await open(() => {
    looks++
    return waiting
  })
  await executions.start(arnOf('jobs'), '{}', 'job-1')
  endJob()
  await executions.finished(executionArnOf('jobs', 'job-1'))
  const { executionArn } = await executions.start(arnOf('poll'))
  await expect
    .poll(() => executions.history(executionArn).filter(({ name }) => name === 'Wait'))
    .toHaveLength(2)
  // Whatever else was to happen at once has happened.
  await new Promise(resolve => setImmediate(resolve))
  expect(looks).toBe(2)
  await executions.stop(executionArn)
})

it.each([
  ['that is for nothing', { isDone: false, waitSeconds: HOUR }],
  ['for an execution that is not there', { ...waiting, waitsFor: ['job-2'] }],
])('a wait %s lasts its time, until the execution is stopped', async (_what, asked) => {
  const { executions, endJob } = await open(() => asked)
  await executions.start(arnOf('jobs'), '{}', 'job-1')
  const { executionArn } = await executions.start(arnOf('poll'))
  await expect.poll(() => executions.history(executionArn).at(-1)?.name).toBe('Wait')
  endJob()
  await executions.finished(executionArnOf('jobs', 'job-1'))
  await new Promise(resolve => setImmediate(resolve))
  expect(executions.describe(executionArn).status).toBe('RUNNING')
  expect(await executions.stop(executionArn)).toMatchObject({ status: 'ABORTED' })
})

it('a wait that no timer can hold, or that is no number, fails the execution', async () => {
  for (const waitSeconds of [2 ** 40, -1, '1']) {
    const { executions } = await open(() => ({ ...waiting, waitSeconds }))
    const { executionArn } = await executions.start(arnOf('poll'))
    expect(await executions.finished(executionArn)).toMatchObject({
      status: 'FAILED',
      error: 'States.Runtime',
    })
  }
})

const executionArnOf = (machine: string, name: string) =>
  arnOf(machine).replace('stateMachine:', 'execution:').concat(`:${name}`)
