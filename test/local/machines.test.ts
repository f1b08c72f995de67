import { describe, expect, it } from 'vitest'
import type { Answer } from '#lib/drive/step.ts'
import { patientWait } from '#lib/patient-wait.ts'
import { waitSecondsAt } from '#lib/storage-client/wait-seconds-at.ts'
import type { Call } from '#local/machines/drive.ts'
import { ExecutionStore } from '#local/machines/execution-store.ts'
import { Executions, type StateMachine } from '#local/machines/executions.ts'
import { folderUntilEnd } from '#support/until-end.ts'

const folder = folderUntilEnd()
const arnOf = (name: string) => `arn:aws:states:us-east-1:000000000000:stateMachine:${name}`
const machineArn = arnOf('m')

const done = (output: unknown): Answer => ({ next: 'done', output })
const never = () => new Promise<never>(() => {})
const failing = (name: string) => async () => {
  throw Object.assign(new Error('because'), { name })
}

let folders = 0
type Options = Partial<ConstructorParameters<typeof Executions>[0]>
type Machine = Partial<StateMachine> & { part?: Call }
const open = async (
  { step = never, part = never, ...machine }: Machine,
  { store = `store-${++folders}`, ...more }: Omit<Options, 'store'> & { store?: string } = {},
) => {
  const called: Call = event => ('part' in Object(event) ? part : step)(event)
  const others = { step: called, poll: never, partsAtOnce: 2, isLong: false, longestSeconds: 60 }
  return new Executions({
    store: await ExecutionStore.open(`${folder}/${store}`),
    machines: [{ arn: machineArn, name: 'm', ...others, ...machine }],
    log: () => {},
    ...more,
  })
}

const run = async (machine: Machine, input: unknown = {}, options: Parameters<typeof open>[1] = {}) => {
  const executions = await open(machine, options)
  const { executionArn } = await executions.start(machineArn, JSON.stringify(input))
  return executions.finished(executionArn)
}

/** Answers one after the other. */
const answers = (...all: (Answer | (() => Promise<Answer>))[]) => {
  const events: Record<string, unknown>[] = []
  const step: Call = async event => {
    events.push(event as Record<string, unknown>) // As the machine makes it.
    const next = all.shift()
    return typeof next === 'function' ? next() : next
  }
  return { step, events }
}

describe('an execution', () => {
  it('ends with the output of the answer that says so, which has been through JSON', async () => {
    const { step, events } = answers(done({ at: new Date(0), nothing: undefined }))
    const ended = await run({ step }, { a: 1 })
    expect(ended).toMatchObject({ status: 'SUCCEEDED', output: '{"at":"1970-01-01T00:00:00.000Z"}' })
    expect(events).toEqual([
      {
        input: { a: 1 },
        execution: ended.executionArn,
        since: ended.startDate,
        state: null,
        job: null,
        stepsLeft: 1,
      },
    ])
  })

  it('gives what an answer passes on to the next step', async () => {
    const { step, events } = answers({ next: 'again', waitSeconds: 0, state: { at: 2 } }, done(1))
    await run({ step })
    expect(events.map(({ state }) => state)).toEqual([null, { at: 2 }])
  })

  it('does the parts of an answer side by side, then the next step', async () => {
    const parts: unknown[] = []
    const { step, events } = answers({ next: 'each', parts: [1, 2, 3], state: 'parts' }, done(1))
    const part: Call = async event => void parts.push(event)
    await run({ step, part })
    expect(parts).toMatchObject([1, 2, 3].map(one => ({ part: one, state: 'parts' })))
    expect(events[1]).toMatchObject({ state: 'parts' })
  })

  it('waits for a job, and gives its end to the next step', async () => {
    const polls = [
      { isFinished: false, status: 'processing', waitSeconds: 0 },
      { isFinished: true, status: 'error' },
    ]
    const { step, events } = answers({ next: 'poll', jobId: 7, waitSeconds: 0 }, done(1))
    await run({ step, poll: async () => polls.shift() })
    expect(events[1]).toMatchObject({ job: { status: 'error' } })
  })

  it('ends with the job where the answer says with what', async () => {
    const { step } = answers({ next: 'poll', jobId: 7, waitSeconds: 0, output: { fileId: 3 } })
    const poll = async () => ({ isFinished: true, status: 'success', results: { rows: 1 } })
    expect(await run({ step, poll })).toMatchObject({
      status: 'SUCCEEDED',
      output: '{"fileId":3,"isFinished":true,"status":"success","results":{"rows":1}}',
    })
  })

  it('gives a failure to the step, whose answer counts like any other', async () => {
    const { step, events } = answers(
      failing('UserError'),
      { next: 'again', waitSeconds: 0 },
      done('all the same'),
    )
    expect(await run({ step })).toMatchObject({ status: 'SUCCEEDED', output: '"all the same"' })
    expect(events[1]).toMatchObject({ failure: { Error: 'UserError', Cause: 'because' } })
  })

  it('of which a part fails for good gives that to the step', async () => {
    const { step, events } = answers({ next: 'each', parts: [1] }, done(1))
    await run({ step, part: failing('UserError') })
    expect(events[1]).toMatchObject({ failure: { Error: 'UserError' } })
  })

  it('fails as its answer says, and tells the details', async () => {
    const told: unknown[] = []
    const { step } = answers({
      next: 'failed',
      failure: { code: 'c', message: 'm' },
      report: { errorMessage: 'm', details: { d: 1 } },
    } as Answer) // As `answering` completes it.
    const tellEnd = { isHeard: () => true, tell: async (end: unknown) => void told.push(end) }
    const cause = '{"errorMessage":"m","details":{"d":1}}'
    expect(await run({ step }, {}, { tellEnd })).toMatchObject({ status: 'FAILED', error: 'c', cause })
    expect(told).toMatchObject([{ error: 'c', cause }])
  })

  it('fails with what failed first when the step fails with the failure, too', async () => {
    const { step } = answers(failing('First'), failing('Second'))
    expect(await run({ step })).toMatchObject({ status: 'FAILED', error: 'First' })
  })

  it('repeats what may pass', async () => {
    const { step, events } = answers(failing('Lambda.Unknown'), done(1))
    const executions = await open({ step })
    const { executionArn } = await executions.start(machineArn)
    expect(await executions.finished(executionArn)).toMatchObject({ status: 'SUCCEEDED' })
    expect(events).toHaveLength(2)
    expect(executions.calls(executionArn)).toEqual(['Step', 'Step'])
  }, 20_000)

  it.each([
    ['an answer', async () => ({ next: 'again', waitSeconds: 0, state: 'x'.repeat(256 * 1024) })],
    ['an output', async () => done('x'.repeat(256 * 1024))],
  ])('ends at once when %s is longer than 256 KiB', async (_what, step) => {
    expect(await run({ step })).toMatchObject({ status: 'FAILED', error: 'States.DataLimitExceeded' })
  })

  const again = async () => ({ next: 'again', waitSeconds: 0 })
  it('ends when its history is full', async () => {
    expect(await run({ step: again })).toMatchObject({
      status: 'FAILED',
      error: 'States.Runtime',
      cause: 'The execution reached the maximum number of history events (25000).',
    })
  })

  it('of days has histories one after the other: 40 hours of a step a minute do not fill one', async () => {
    let left = 40 * 60
    const step = async () => (left-- > 0 ? again() : done('days'))
    expect(await run({ step, isLong: true })).toMatchObject({ output: '"days"' })
    left = 3000
    expect(await run({ step })).toMatchObject({ status: 'FAILED' })
  })

  it('after days of rest goes on, and does not time out at once', async () => {
    const before = await open({}, { store: 'rested' })
    const { executionArn } = await before.start(machineArn, '{}', 'rests')
    before.close()
    const store = await ExecutionStore.open(`${folder}/rested`)
    const record = store.get(executionArn)
    if (record?.status !== 'RUNNING') throw new Error('It is under way')
    await store.put({ ...record, startDate: '2026-01-01T00:00:00.000Z' })
    const after = await open({ step: async () => done(1) }, { store: 'rested' })
    after.resume()
    expect(await after.finished(executionArn)).toMatchObject({ status: 'SUCCEEDED' })
  })

  it('whose part fails for good repeats no other part', async () => {
    const { step } = answers({ next: 'each', parts: ['fails', 'waits'] }, () => new Promise(() => {}))
    let tries = 0
    const part: Call = async event => {
      if ((event as { part: string }).part === 'fails')
        throw Object.assign(new Error('no'), { name: 'UserError' })
      tries += 1
      throw Object.assign(new Error('busy'), { name: 'TransientError' })
    }
    const executions = await open({ step, part })
    const { executionArn } = await executions.start(machineArn)
    await expect.poll(() => executions.calls(executionArn)).toContain('StepAfterFailure')
    await new Promise(resolve => setTimeout(resolve, 2500))
    expect(tries).toBe(1)
    executions.close()
  })

  it('times out, also while it waits', async () => {
    const step = async () => ({ next: 'again', waitSeconds: 600 })
    expect(await run({ step, longestSeconds: 1 })).toMatchObject({ status: 'TIMED_OUT' })
  })

  it('is aborted with the reason that is given, and goes no further', async () => {
    const begun = Promise.withResolvers<void>()
    const answer = Promise.withResolvers<Answer>()
    const { step, events } = answers(() => {
      begun.resolve()
      return answer.promise
    })
    const executions = await open({ step })
    const { executionArn } = await executions.start(machineArn)
    await begun.promise
    expect(await executions.stop(executionArn, 'Enough', 'of this')).toMatchObject({
      status: 'ABORTED',
      error: 'Enough',
      cause: 'of this',
    })
    answer.resolve({ next: 'again', waitSeconds: 0 })
    await new Promise(setImmediate)
    expect(events).toHaveLength(1)
    expect(executions.describe(executionArn).status).toBe('ABORTED')
  })
})

describe('names', () => {
  it('returns the running execution for the same name and input', async () => {
    let calls = 0
    const executions = await open({
      step: () => {
        calls += 1
        return never()
      },
    })
    const started = await Promise.all(
      Array.from({ length: 20 }, () => executions.start(machineArn, '{"a": 1}', 'once')),
    )
    expect(new Set(started.map(({ startDate }) => startDate)).size).toBe(1)
    expect(calls).toBe(1)
    executions.close()
  })

  it('refuses the same name with another input, and after the end', async () => {
    const executions = await open({ step: async () => done(1) })
    const { executionArn } = await executions.start(machineArn, '{}', 'once')
    const refusal = { name: 'ExecutionAlreadyExists' }
    await expect(executions.start(machineArn, '{"b":1}', 'once')).rejects.toMatchObject(refusal)
    await executions.finished(executionArn)
    await expect(executions.start(machineArn, '{}', 'once')).rejects.toMatchObject(refusal)
  })

  it.each(['', 'a b', 'a/b', 'a:b', 'x'.repeat(81)])('refuses the name %j', async name => {
    const executions = await open({})
    await expect(executions.start(machineArn, '{}', name)).rejects.toMatchObject({ name: 'InvalidName' })
  })

  it('refuses an input that is not JSON', async () => {
    const executions = await open({})
    await expect(executions.start(machineArn, '{')).rejects.toMatchObject({ name: 'InvalidExecutionInput' })
  })
})

describe('after a restart', () => {
  it('running executions go on, with name, input and start time', async () => {
    const before = await open({}, { store: 'shared' })
    const { executionArn, startDate } = await before.start(machineArn, '{"a":1}', 'long')
    before.close()

    const { step, events } = answers(done(1))
    const after = await open({ step }, { store: 'shared' })
    expect(after.resume()).toBe(1)
    expect(await after.finished(executionArn)).toMatchObject({ status: 'SUCCEEDED' })
    expect(events).toMatchObject([{ since: startDate, input: { a: 1 } }])
  })

  it('ended executions are still described', async () => {
    const after = await open({}, { store: 'shared' })
    expect(after.resume()).toBe(0)
    expect(after.list(machineArn).map(({ name, status }) => [name, status])).toEqual([['long', 'SUCCEEDED']])
  })

  it('an end that nobody was told of when the process died is told, and stays what it was', async () => {
    const before = await open({}, { store: 'told', tellEnd: { isHeard: () => true, tell: never } })
    const { executionArn } = await before.start(machineArn, '{}', 'ends')
    void before.stop(executionArn, 'Enough')
    await expect.poll(() => before.describe(executionArn)).toMatchObject({ untold: true })
    before.close()
    const told: unknown[] = []
    const tellEnd = { isHeard: () => true, tell: async (end: unknown) => void told.push(end) }
    const after = await open({ step: async () => done(1) }, { store: 'told', tellEnd })
    expect(after.resume()).toBe(0)
    await expect.poll(() => after.describe(executionArn)).not.toHaveProperty('untold')
    expect(told).toMatchObject([{ status: 'ABORTED', error: 'Enough' }])
  })

  it('an end that cannot be told is told later', async () => {
    let tries = 0
    const tell = async () => {
      if (++tries < 3) throw new Error('503')
    }
    const tellEnd = { isHeard: () => true, tell }
    const ended = await run({ step: async () => done(1) }, {}, { tellEnd, pauseMs: 1 })
    expect(ended).toMatchObject({ status: 'SUCCEEDED' })
    await expect.poll(() => tries).toBe(3)
  })

  it('of a machine that is gone is told as ended', async () => {
    const before = await open({ arn: arnOf('gone'), name: 'gone' }, { store: 'gone' })
    await before.start(arnOf('gone'), '{}', 'left')
    before.close()
    const told: unknown[] = []
    const tellEnd = { isHeard: () => true, tell: async (end: unknown) => void told.push(end) }
    const after = await open({}, { store: 'gone', tellEnd })
    after.resume()
    await expect.poll(() => told).toHaveLength(1)
    expect(told).toMatchObject([{ status: 'ABORTED', error: 'StateMachineDoesNotExist' }])
  })
})

/** No test lasts so long. */
const HOUR = 3600

describe('a wait', () => {
  const waiting: Answer = { next: 'again', waitSeconds: HOUR, waitsFor: ['job-1'] }

  /** A machine that looks, and one whose executions are waited for. */
  const both = async (look: Call, { seesAllEnds = false } = {}) => {
    const { promise: end, resolve } = Promise.withResolvers<unknown>()
    const common = { poll: never, partsAtOnce: 1, isLong: false, longestSeconds: HOUR }
    const executions = new Executions({
      store: await ExecutionStore.open(`${folder}/store-${++folders}`),
      machines: [
        { arn: arnOf('look'), name: 'look', step: look, ...common },
        { arn: arnOf('jobs'), name: 'jobs', step: () => end, ...common },
      ],
      seesAllEnds,
      log: () => {},
    })
    return { executions, endJob: (more: object = {}) => resolve({ ...done(1), ...more }) }
  }
  const lookOnce = (first: Answer) => {
    let looks = 0
    const look: Call = async () => (++looks === 1 ? first : done(1))
    return { look, looked: () => looks }
  }

  it('ends with the execution that it is for', async () => {
    const { look, looked } = lookOnce(waiting)
    const { executions, endJob } = await both(look)
    await executions.start(arnOf('jobs'), '{}', 'job-1')
    const { executionArn } = await executions.start(arnOf('look'))
    await expect.poll(looked).toBe(1)
    endJob()
    expect(await executions.finished(executionArn)).toMatchObject({ status: 'SUCCEEDED' })
    expect(looked()).toBe(2)
  })

  it('ends when another execution has done that work along with its own', async () => {
    const { look, looked } = lookOnce({ ...waiting, waitsFor: ['job-2'] })
    const { executions, endJob } = await both(look)
    await executions.start(arnOf('jobs'), '{}', 'job-1')
    const { executionArn } = await executions.start(arnOf('look'))
    await expect.poll(looked).toBe(1)
    endJob({ alsoEnded: ['job-2'] })
    expect(await executions.finished(executionArn)).toMatchObject({ status: 'SUCCEEDED' })
  })

  it('does not begin for one that has ended, and ends once for each', async () => {
    const { look, looked } = lookOnce(waiting)
    const { executions, endJob } = await both(look)
    endJob()
    await executions.finished((await executions.start(arnOf('jobs'), '{}', 'job-1')).executionArn)
    const { executionArn } = await executions.start(arnOf('look'))
    expect(await executions.finished(executionArn)).toMatchObject({ status: 'SUCCEEDED' })
    expect(looked()).toBe(2)
  })

  it('for an execution that runs here is not cut short by looks at it', async () => {
    const { look, looked } = lookOnce({ ...waiting, waitSeconds: 0 })
    const { executions, endJob } = await both(look, { seesAllEnds: true })
    await executions.start(arnOf('jobs'), '{}', 'job-1')
    const { executionArn } = await executions.start(arnOf('look'))
    await expect.poll(looked).toBe(1)
    await new Promise(resolve => setTimeout(resolve, 50))
    expect(looked()).toBe(1)
    endJob()
    expect(await executions.finished(executionArn)).toMatchObject({ status: 'SUCCEEDED' })
  })

  it('of an execution that is stopped keeps nothing waiting', async () => {
    const { look, looked } = lookOnce(waiting)
    const { executions } = await both(look)
    const { executionArn } = await executions.start(arnOf('look'))
    await expect.poll(looked).toBe(1)
    expect(await executions.stop(executionArn)).toMatchObject({ status: 'ABORTED' })
  })
})

describe('histories', () => {
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
