import fc from 'fast-check'
import { expect, it } from 'vitest'
import succeeded from '#events/tick/run-succeeded.json' with { type: 'json' }
import { keepEnd } from '#functions/tick/ends.ts'
import { type StatusChange, tickEvent } from '#functions/tick/event.ts'
import { endLostRun } from '#functions/tick/lost-run.ts'
import type { Execution } from '#lib/cloud/machines.ts'
import type { RunExecution } from '#lib/storage/runs/run-execution.ts'
import { createRunRecords, type RunRecords } from '#lib/storage/runs/run-records.ts'
import { createMemoryItemTable } from '../../support/memory-item-table.ts'

const place = { componentId: 'ex-generic-v2', configId: 'shop' }
const never = () => Promise.reject(new Error('Nobody is asked'))

const eventOf = (detail: object = {}) =>
  tickEvent.parse({ ...succeeded, detail: { ...succeeded.detail, ...detail } }) as StatusChange // It has a detail.
const machineNames = new Map([[succeeded.detail.stateMachineArn, 'extract']])
const others = { failures: { keep: never, mend: async () => {} }, jobs: { get: never } }
const keepRun = (
  event: StatusChange,
  given: { runs: RunRecords; describe: () => Promise<Execution | undefined> },
) => keepEnd(event, { machineNames, describe: given.describe, records: { runs: given.runs, ...others } })
const begun = { status: 'RUNNING', stopDate: null, output: null, outputDetails: null }

const statusesIn = async (runs: ReturnType<typeof createRunRecords>) => ({
  known: (await runs.get('run-12'))?.status,
  all: await Array.fromAsync(runs.list(), ({ status }) => status),
  ofPlace: await Array.fromAsync(runs.list(place), ({ status }) => status),
})

it('a run that ended is listed with what it did, and nobody is asked for it', async () => {
  const runs = createRunRecords(createMemoryItemTable())
  await keepRun(eventOf(begun), { runs, describe: never })
  expect(await statusesIn(runs)).toEqual({ known: 'RUNNING', all: ['RUNNING'], ofPlace: ['RUNNING'] })
  await keepRun(eventOf(), { runs, describe: never })
  expect(await Array.fromAsync(runs.list(place))).toEqual([
    {
      name: 'run-12',
      status: 'SUCCEEDED',
      startDate: new Date(1772366520000),
      stopDate: new Date(1772366521500),
      input: succeeded.detail.input,
      output: succeeded.detail.output,
    },
  ])
})

it('in whatever order and however often its events come, a run has ended', () =>
  fc.assert(
    fc.asyncProperty(fc.array(fc.boolean(), { maxLength: 6 }), async order => {
      const runs = createRunRecords(createMemoryItemTable())
      const events = [...order, true].map(isEnd => eventOf(isEnd ? {} : begun))
      await Promise.all(events.map(event => keepRun(event, { runs, describe: never })))
      expect(await statusesIn(runs)).toEqual({
        known: 'SUCCEEDED',
        all: ['SUCCEEDED'],
        ofPlace: ['SUCCEEDED'],
      })
    }),
  ))

it('a run whose beginning is told after its end is not looked after', async () => {
  const runs = createRunRecords(createMemoryItemTable())
  for (const event of [eventOf(begun), eventOf(), eventOf(begun)])
    await keepRun(event, { runs, describe: never })
  expect(await runs.longestOpen()).toBeUndefined()
})

it('what is too large for an event is asked for', async () => {
  const runs = createRunRecords(createMemoryItemTable())
  const whole: RunExecution = {
    name: 'run-12',
    status: 'SUCCEEDED',
    startDate: new Date(1772366520000),
    output: '{"rows":[]}',
  }
  const event = eventOf({ output: null, outputDetails: { included: false } })
  await keepRun(event, { runs, describe: async () => ({ ...whole, status: 'SUCCEEDED' }) })
  expect(await runs.get('run-12')).toMatchObject({ status: 'SUCCEEDED', output: '{"rows":[]}' })
})

it('newest runs come first, and each configuration has a list of its own', async () => {
  const runs = createRunRecords(createMemoryItemTable())
  for (const [minute, configId] of ['shop', 'crm', 'shop'].entries())
    await runs.end({
      name: `r${minute}`,
      status: 'FAILED',
      startDate: new Date(Date.UTC(2026, 2, 1, 12, minute)),
      input: JSON.stringify({ ...place, configId }),
    })
  expect(await Array.fromAsync(runs.list(), ({ name }) => name)).toEqual(['r2', 'r1', 'r0'])
  expect(await Array.fromAsync(runs.list(place), ({ name }) => name)).toEqual(['r2', 'r0'])
})

it('runs whose end was never told are looked after, one a minute, those first that nobody has looked after', async () => {
  const runs = createRunRecords(createMemoryItemTable())
  const start = Date.UTC(2026, 2, 1, 12)
  const open = (name: string, minute: number): RunExecution => ({
    name,
    status: 'RUNNING',
    startDate: new Date(start + minute * 60_000),
    input: JSON.stringify(place),
  })
  for (const [minute, name] of ['runs', 'killed', 'forgotten', 'new'].entries())
    await runs.begin(open(name, minute))
  const asked: string[] = []
  const look = (minute: number) =>
    endLostRun({
      runs,
      describe: async name => {
        asked.push(name)
        if (name === 'runs') return open(name, 0)
        return name === 'killed'
          ? { ...open(name, 1), status: 'ABORTED', stopDate: new Date(start) }
          : undefined
      },
      now: () => new Date(start + minute * 60_000),
    })
  expect(await look(9)).toBeUndefined()
  expect(asked).toEqual([])
  expect([await look(12), await look(12), await look(12), await look(12)]).toEqual([
    undefined,
    'killed',
    'forgotten',
    undefined,
  ])
  expect(asked).toEqual(['runs', 'killed', 'forgotten'])
  expect(await Array.fromAsync(runs.list(place), ({ status }) => status)).toEqual([
    'RUNNING',
    'ABORTED',
    'ABORTED',
    'RUNNING',
  ])
})
