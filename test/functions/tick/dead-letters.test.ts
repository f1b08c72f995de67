import { describe, expect, it } from 'vitest'
import stopped from '#events/tick/import-stopped.json' with { type: 'json' }
import { keepEnd } from '#functions/tick/ends.ts'
import { type StatusChange, tickEvent } from '#functions/tick/event.ts'
import type { Execution } from '#lib/cloud/machines.ts'
import { reportOf } from '#lib/errors/machine-failure.ts'
import type { JobRecord } from '#lib/storage/jobs/job-record.ts'
import { untilEnd } from '#support/until-end.ts'
import { asFunction } from '../../support/guard-writes.ts'
import { startStorageService } from '../../support/storage-service.ts'

const service = await untilEnd(startStorageService())
const { failures, jobs } = service.stores
const machineNames = new Map([
  [stopped.detail.stateMachineArn, 'import'],
  ['arn:jobs', 'jobs'],
  ['arn:extract', 'extract'],
])

const arnOf = (name: string) => `arn:aws:states:x:1:execution:m:${name}`
const eventOf = (detail: object) =>
  tickEvent.parse({ ...stopped, detail: { ...stopped.detail, ...detail } }) as StatusChange // It has a detail.
const keep = (detail: object, known?: Partial<Execution>) =>
  asFunction('tick', () =>
    keepEnd(eventOf(detail), {
      machineNames,
      describe: async () => known as Execution | undefined, // As much as is read.
      records: { failures, jobs },
    }),
  )
const lettersOf = async (executionArn: string) =>
  (await Array.fromAsync(failures.list())).filter(({ source }) => source.execution === executionArn)

describe('the dead letter of an execution', () => {
  it.each(['ABORTED', 'TIMED_OUT'])('that is %s says so, with the event of its end', async status => {
    const executionArn = arnOf(status)
    const { failure } = await keep({ executionArn, status })
    expect(failure).toEqual({ code: status, message: expect.stringMatching(/stopped, ran out of time/) })
    const [letter] = await lettersOf(executionArn)
    expect(letter).toMatchObject({
      machine: 'import',
      input: { detail: { object: { key: 'in.c-main/orders.csv' } } },
      failure,
      details: { status, stopDate: '2026-03-01T12:00:00.456Z' },
      at: '2026-03-01T12:00:00.456Z',
    })
    expect(letter?.details).not.toHaveProperty('input')
  })

  it('that fails by its own word says what its report says', async () => {
    const executionArn = arnOf('reported')
    const cause = JSON.stringify(reportOf({ code: 'c', message: 'Line 2 is wrong.' }, { versionId: 'v' }))
    await keep({ executionArn, status: 'FAILED', error: 'files.csv', cause })
    expect(await lettersOf(executionArn)).toMatchObject([
      { failure: { code: 'files.csv', message: 'Line 2 is wrong.' }, details: { versionId: 'v' } },
    ])
  })

  it('that Step Functions ended says that nobody reported it', async () => {
    const executionArn = arnOf('cut-off')
    await keep({ executionArn, status: 'FAILED', error: 'States.Runtime', cause: 'a path leads nowhere' })
    expect(await lettersOf(executionArn)).toMatchObject([
      { failure: { code: 'FAILED' }, details: { error: 'States.Runtime', cause: 'a path leads nowhere' } },
    ])
  })

  it('whose input is too large for the event has it all the same', async () => {
    const executionArn = arnOf('large')
    const lost = { executionArn, input: null, inputDetails: { included: false } }
    await keep(lost, { input: '{"bucket":"landing","key":"in.c-main/large.csv"}' })
    expect(await lettersOf(executionArn)).toMatchObject([{ input: { key: 'in.c-main/large.csv' } }])
    await keep({ ...lost, executionArn: arnOf('forgotten') })
    expect(await lettersOf(arnOf('forgotten'))).toMatchObject([{ input: {} }])
  })

  it('is kept once, however often it is told', async () => {
    const executionArn = arnOf('once')
    await keep({ executionArn })
    await Promise.all([keep({ executionArn }), keep({ executionArn, status: 'TIMED_OUT' })])
    expect(await lettersOf(executionArn)).toMatchObject([{ failure: { code: 'ABORTED' } }])
  })

  it('has an id of its own for each of many executions that begin in one millisecond', async () => {
    const inputOf = (index: number) =>
      JSON.stringify({ bucket: 'landing', key: `in.c-main/many-${index}.csv` })
    const told = Array.from({ length: 60 }, (_, index) => ({
      executionArn: arnOf(`many-${index}`),
      input: inputOf(index),
    }))
    await Promise.all([...told, ...told].map(detail => keep(detail)))
    const ids = (await Promise.all(told.map(({ executionArn }) => lettersOf(executionArn)))).flat()
    expect(new Set(ids.map(({ id }) => id)).size).toBe(60)
    expect(ids).toHaveLength(60)
  })
})

it('of a configuration that fails each minute is one, until a run succeeds', async () => {
  const executionArn = arnOf('run')
  const run = (minute: number, status: string, more: object = {}) =>
    keep({
      executionArn,
      stateMachineArn: 'arn:extract',
      name: `run-${minute}`,
      status,
      input: '{"componentId":"ex","configId":"1"}',
      startDate: Date.UTC(2026, 2, 1, 12, minute),
      stopDate: Date.UTC(2026, 2, 1, 12, minute, 30),
      ...more,
    })
  for (let minute = 1; minute < 20; minute++)
    await run(minute, 'TIMED_OUT', { executionArn: `${executionArn}-${minute}` })
  const letters = async () =>
    (await Array.fromAsync(failures.list())).filter(({ machine }) => machine === 'extract')
  expect(await letters()).toMatchObject([{ source: { execution: `${executionArn}-19` } }])
  await run(18, 'SUCCEEDED')
  await run(20, 'SUCCEEDED', { output: '{"status":"skipped"}' })
  expect(await letters()).toHaveLength(1)
  await run(21, 'SUCCEEDED', { output: '{"status":"success"}' })
  expect(await letters()).toEqual([])
})

it.each([
  ['job-7', { status: 'processing' }, undefined],
  ['job-7', { status: 'success' }, undefined],
  ['job-7', { status: 'error' }, 'ABORTED'],
  ['job-7-close', { status: 'processing' }, 'ABORTED'],
  ['job-7-close', { status: 'success' }, undefined],
])('of a job whose execution %s was stopped, and which is %j, it says %s', async (name, job, code) => {
  const { failure } = await keepEnd(eventOf({ stateMachineArn: 'arn:jobs', name, input: '{"jobId":7}' }), {
    machineNames,
    describe: async () => undefined,
    records: {
      failures: { keep: async () => {}, mend: async () => {} },
      jobs: { get: async () => ({ id: 7, ...job }) as JobRecord }, // As much as is read.
    },
  })
  expect(failure?.code).toBe(code)
})

it.each([
  ['of a success', { status: 'SUCCEEDED' }],
  ['of what a person has cancelled', { status: 'ABORTED', error: 'storage.jobs.cancelled' }],
  [
    'of what waited for a run that a person has cancelled',
    {
      stateMachineArn: 'arn:extract',
      status: 'FAILED',
      error: 'storage.jobs.cancelled',
      cause: '{"errorMessage":"m","details":{}}',
    },
  ],
  ['of a machine that is not of the system', { stateMachineArn: 'arn:of:another' }],
])('there is no dead letter %s', async (_case, detail) => {
  const executionArn = arnOf(JSON.stringify(detail))
  expect(await keep({ executionArn, ...detail })).toMatchObject({ failure: undefined })
  expect(await lettersOf(executionArn)).toEqual([])
})

it('a file whose job was cancelled is not in its table, and leaves a dead letter', async () => {
  const executionArn = arnOf('cancelled')
  const cause = JSON.stringify(reportOf({ code: 'c', message: 'cancelled' }))
  await keep({ executionArn, status: 'FAILED', error: 'storage.jobs.cancelled', cause })
  expect(await lettersOf(executionArn)).toMatchObject([{ failure: { code: 'storage.jobs.cancelled' } }])
})

it('beside a hosted service a failure is told, though nobody keeps it', async () => {
  const kept = await keepEnd(eventOf({}), { machineNames, describe: async () => undefined })
  expect(kept).toMatchObject({ machine: 'import', failure: { code: 'ABORTED' } })
})

it.each([
  ['without its execution', { executionArn: '' }],
  ['of another status', { status: 'ENDED' }],
  ['without its start', { startDate: undefined }],
])('an end %s is refused', (_case, detail) => {
  expect(tickEvent.safeParse({ ...stopped, detail: { ...stopped.detail, ...detail } }).success).toBe(false)
})
