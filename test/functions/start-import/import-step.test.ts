import { expect, it } from 'vitest'
import { importStep } from '#functions/start-import/import-step.ts'
import type { StartImportResult } from '#functions/start-import/start-import-result.ts'
import { stepEvent } from '#lib/drive/step.ts'
import { TABLE_EXISTS_CODE } from '#lib/storage-client/table-exists-code.ts'

const event = (more: object) =>
  stepEvent.parse({
    input: { bucket: 'landing', key: 'in.c-main/orders.csv' },
    execution: 'arn:aws:states:us-east-1:000000000000:execution:Millrace-import:e',
    since: '2026-11-28T00:00:00Z',
    state: null,
    ...more,
  })

const step = async (given: object, result: StartImportResult | Error) => {
  const asked: object[] = []
  const answer = await importStep(event(given), {
    start: async start => {
      asked.push(start)
      if (result instanceof Error) throw result
      return result
    },
    log: { warn: () => {} },
  })
  return { answer, asked }
}

const started: StartImportResult = {
  outcome: 'started',
  jobId: 7,
  fileId: 3,
  tableId: 'in.c-main.orders',
  reloadedVersions: 0,
  waitSeconds: 1,
}
const output = { tableId: 'in.c-main.orders', fileId: 3, jobId: 7, reloadedVersions: 0 }
const success = { status: 'success', jobId: 7, results: { importedRowsCount: 2 } }
const failure = { Error: 'Lambda.Unknown', Cause: 'died' }

it('a good file ends with its job, without another call', async () => {
  const { answer } = await step({}, started)
  expect(answer).toMatchObject({ next: 'poll', jobId: 7, output })
})

it('letters of its subject are closed when the job has succeeded, and say the end all the same', async () => {
  const { answer } = await step({}, { ...started, closesLetters: true })
  expect(answer).toEqual({ next: 'poll', jobId: 7, waitSeconds: 1, state: { output } })
  const ended = await step({ state: { output }, job: success }, started)
  const state = { output: { ...output, ...success }, tries: 0 }
  expect(ended).toEqual({ answer: { next: 'again', waitSeconds: 0, state }, asked: [] })
  const closed = await step({ state }, { outcome: 'closed', letters: 1 })
  expect(closed.asked).toMatchObject([{ importedBy: 7 }])
  expect(closed.answer).toEqual({ next: 'done', output: { ...output, ...success } })
})

it('letters that cannot be closed are tried again, then stay open: the file is in its table', async () => {
  let state: object = { output: { ...output, ...success }, tries: 0 }
  const waits: number[] = []
  for (;;) {
    const { answer } = await step({ state }, new Error('503'))
    if (answer?.next !== 'again') {
      expect(answer).toEqual({ next: 'done', output: { ...output, ...success } })
      break
    }
    waits.push(answer.waitSeconds)
    state = answer.state as object // As the machine hands it back.
  }
  expect(waits).toEqual([1, 2, 4, 8, 16, 32])
  const { answer, asked } = await step({ state, failure }, new Error('503'))
  expect([answer?.next, asked]).toEqual(['done', []])
})

it('what fails before the job has ended releases the key and fails', async () => {
  const released = { outcome: 'released', failure: { code: 'c', message: 'm' }, details: {} } as const
  for (const state of [null, { output }])
    expect((await step({ state, failure }, released)).answer).toMatchObject({ next: 'failed' })
  const error = { code: 'invalidCsv', message: 'm' }
  const { asked } = await step({ state: { output }, job: { status: 'error', jobId: 7, error } }, released)
  expect(asked).toMatchObject([{ failure: { Error: 'invalidCsv' } }])
})

it('a table that was made meanwhile is loaded into', async () => {
  const error = { code: TABLE_EXISTS_CODE, message: 'm' }
  const { answer, asked } = await step({ job: { status: 'error', jobId: 7, error } }, started)
  expect(answer).toMatchObject({ next: 'poll' })
  expect(asked).toEqual([expect.not.objectContaining({ failure: expect.anything() })])
})

it('a step that fails for good after the job has succeeded fails nothing', async () => {
  const { answer, asked } = await step({ state: { output }, job: success, failure }, new Error('503'))
  expect([answer, asked]).toEqual([{ next: 'done', output: { ...output, ...success } }, []])
})

it('the failure of the job is told, also when the step after it failed', async () => {
  const error = { code: 'invalidCsv', message: 'm' }
  const released = { outcome: 'released', failure: { code: 'c', message: 'm' }, details: {} } as const
  const { asked } = await step({ job: { status: 'error', jobId: 7, error }, failure }, released)
  expect(asked).toMatchObject([{ failure: { Error: 'invalidCsv' } }])
})
