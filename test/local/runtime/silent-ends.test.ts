import { describe, expect, it } from 'vitest'
import { keepDeadLetterEvent } from '#functions/keep-dead-letter/event.ts'
import { keepRunEvent } from '#functions/keep-run/event.ts'
import { patientWait } from '#lib/patient-wait.ts'
import { waitSecondsAt } from '#lib/storage-client/wait-seconds-at.ts'
import type { EventRouter } from '#local/runtime/events/event-router.ts'
import { ExecutionStore, statusChange } from '#local/runtime/executions/execution-store.ts'
import { Executions } from '#local/runtime/executions/executions.ts'
import { runTask } from '#local/runtime/executions/task-resources.ts'
import { Queues } from '#local/runtime/queues/queues.ts'
import { queue } from '#local/runtime/resources/messages.ts'
import { RolePolicies } from '#local/runtime/role-policies.ts'
import { rolePolicies, stateMachines } from '#local/runtime/stack-functions.ts'
import { eventRouter } from '#local/runtime/stack-rules.ts'
import { readStack } from '#local/runtime/template/stack.ts'
import { folderUntilEnd } from '#support/until-end.ts'
import { synthesiseStack } from '../../support/synthesise-stack.ts'

const folder = folderUntilEnd()

type Invoke = (functionArn: string, event: Record<string, unknown>) => Promise<unknown>

const template = JSON.stringify(synthesiseStack().toJSON())
let clouds = 0

/** The machines, rules and queues of the real stack around functions of the test. */
const start = async (
  invoke: Invoke,
  { change = (text: string) => text, name = `cloud-${++clouds}` } = {},
) => {
  const stack = readStack(JSON.parse(change(template)), 'Millrace', 'http://a')
  const policies = new RolePolicies(rolePolicies(stack))
  const queues = await Queues.open(
    `${folder}/${name}-queues`,
    stack.ofType(queue).map(({ name, arn }) => ({ name, arn, retentionSeconds: 600 })),
  )
  // Every event of a function's step is an object.
  const kept: unknown[] = []
  const functions = {
    has: () => true,
    invoke: async (arn: string, event: unknown) => {
      if (/DeadLettersKeep/.test(arn)) return kept.push(keepDeadLetterEvent.parse(event))
      return /RunsKeep/.test(arn) ? keepRunEvent.parse(event) : invoke(arn, event as never)
    },
  }
  const log = () => {}
  let router: EventRouter | undefined
  const machines = stateMachines(stack)
  const executions: Executions = new Executions({
    store: await ExecutionStore.open(`${folder}/${name}`),
    machines,
    runTask: (resource, input, context) =>
      runTask(resource, input, context, { functions, queues, policies, log }),
    announce: async ended => router?.deliver(statusChange(ended)),
    log,
  })
  router = eventRouter(stack, { executions, functions, queues, policies, log })
  return {
    kept,
    executions,
    machineArn: (of: string) => machines.find(({ name }) => name.startsWith(of))?.arn ?? '',
    letters: async () => {
      const all = stack.ofType(queue).map(({ name: of }) => queues.byName(of))
      return all.flatMap(({ messages }) => [...messages.values()]).map(({ body }) => JSON.parse(body))
    },
  }
}

const never = () => new Promise<never>(() => {})
const machines = [
  ['Millrace-ImportMachine', { bucket: 'landing', key: 'in.c-main/a.csv' }],
  ['Millrace-ExportMachine', { tableId: 'in.c-main.a' }],
  ['Millrace-extract', { componentId: 'ex', configId: '1' }],
  ['Millrace-jobs', { jobId: 7 }],
] as const

const constructOf = {
  'Millrace-ImportMachine': 'import',
  'Millrace-ExportMachine': 'export',
  'Millrace-extract': 'extract',
  'Millrace-jobs': 'jobs',
}

describe('an execution that cannot report its own end', () => {
  it.each(machines)('of %s leaves a dead letter when it is stopped', async (machine, input) => {
    const { executions, machineArn, letters, kept } = await start(never)
    const { executionArn } = await executions.start(machineArn(machine), JSON.stringify(input))
    await executions.stop(executionArn)
    const begun = { startedAt: expect.stringMatching(/^2\d{3}-/), machine: constructOf[machine] }
    expect(kept).toEqual([{ ...begun, letter: expect.objectContaining({ input }) }])
    expect(await letters()).toEqual([
      {
        version: 1,
        source: { machine: machineArn(machine), execution: executionArn },
        input: JSON.stringify(input),
        failure: { code: 'ABORTED', message: expect.stringMatching(/stopped, ran out of time/) },
        details: expect.objectContaining({ status: 'ABORTED', error: null }),
        at: expect.stringMatching(/^\d{4}-.*Z$/),
        redrive: expect.any(String),
      },
    ])
  })

  it('leaves a dead letter when its time is up', async () => {
    const change = (text: string) => text.replaceAll(/\\"TimeoutSeconds\\":\d+/g, '\\"TimeoutSeconds\\":1')
    const { executions, machineArn, letters } = await start(never, { change })
    const { executionArn } = await executions.start(machineArn('Millrace-ImportMachine'))
    expect(await executions.finished(executionArn)).toMatchObject({ status: 'TIMED_OUT' })
    expect(await letters()).toMatchObject([{ failure: { code: 'TIMED_OUT' } }])
  })

  it('leaves a dead letter when a result is too long, which no state catches', async () => {
    const { executions, machineArn, letters } = await start(async () => 'x'.repeat(256 * 1024))
    const { executionArn } = await executions.start(machineArn('Millrace-ImportMachine'))
    await executions.finished(executionArn)
    expect(await letters()).toMatchObject([
      { failure: { code: 'FAILED' }, details: { error: 'States.DataLimitExceeded' } },
    ])
  })

  it('leaves the dead letter after a restart, when the process died before it was written', async () => {
    const name = 'restarted'
    const first = await start(never, { name })
    const { executionArn } = await first.executions.start(first.machineArn('Millrace-jobs'), '{"jobId":7}')
    const ended = { ...first.executions.describe(executionArn), stopDate: new Date().toISOString() }
    const store = await ExecutionStore.open(`${folder}/${name}`)
    await store.put({ ...ended, status: 'ABORTED', isUnannounced: true })
    first.executions.close()

    const second = await start(never, { name })
    second.executions.resume()
    await expect.poll(second.letters).toMatchObject([{ source: { execution: executionArn } }])
    // The letter is there before the record says so.
    await expect.poll(() => second.executions.describe(executionArn)).not.toHaveProperty('isUnannounced')
    const third = await start(never, { name })
    third.executions.resume()
    expect(third.executions.describe(executionArn)).not.toHaveProperty('isUnannounced')
  })
})

describe('an execution that reports its failure', () => {
  it.each(machines)('of %s leaves one dead letter', async (machine, input) => {
    const { executions, machineArn, letters } = await start(async () => {
      throw Object.assign(new Error('{"errorMessage":"because"}'), { name: 'UserError' })
    })
    const { executionArn } = await executions.start(machineArn(machine), JSON.stringify(input))
    expect(await executions.finished(executionArn)).toMatchObject({ status: 'FAILED' })
    expect(await letters()).toMatchObject([{ failure: { code: 'UserError' }, input }])
  })
})

describe('histories', () => {
  it('an extraction of 700 rows does not fill one', async () => {
    const rows = 700
    const steps = ['inputs', 'leg', 'load', 'save'] as const
    let done = 0
    const { executions, machineArn } = await start(async (_arn, { step, stepsLeft }) => {
      if (step === 'end') return { next: 'end', waitSeconds: 0, stepsLeft: 0, result: { done } }
      done += 1
      const next = done > rows * steps.length ? 'end' : steps[done % steps.length]
      return { next, waitSeconds: 0, stepsLeft: Number(stepsLeft) - 1 }
    })
    const { executionArn } = await executions.start(
      machineArn('Millrace-extract'),
      '{"componentId":"ex","configId":"1"}',
    )
    expect(await executions.finished(executionArn)).toMatchObject({
      status: 'SUCCEEDED',
      output: JSON.stringify({ done: rows * steps.length + 1 }),
    })
  })

  const EVENTS_OF_A_LOOP = 9
  const day = 86_400

  it.each([
    ['a key of the landing bucket', (age: number) => patientWait(1, age), day],
    ['a table', (age: number) => patientWait(10, age), 2 * day],
    ['a run of a configuration', (age: number) => patientWait(30, age), 2 * day],
    ['a job', waitSecondsAt, 2 * day],
  ])('waiting for %s to the end of the machine’s time does not fill one', (_what, secondsAt, longest) => {
    let loops = 0
    for (let age = 0; age < longest; age += secondsAt(age)) loops += 1
    expect(loops * EVENTS_OF_A_LOOP).toBeLessThan(10_000)
  })
})
