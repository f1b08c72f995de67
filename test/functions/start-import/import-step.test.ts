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
const failure = { Error: 'Lambda.Unknown', Cause: 'died' }

it('a good file ends with its job, without another call', async () => {
  const { answer } = await step({}, started)
  expect(answer).toMatchObject({ next: 'poll', jobId: 7, output })
})

it('what its success mends is in the output of the execution, which tick reads', async () => {
  const mends = { isIncremental: true, versionId: 'v2' }
  expect((await step({}, { ...started, mends })).answer).toMatchObject({ output: { ...output, mends } })
})

it('what fails before the job has ended releases the key and fails', async () => {
  const released = { outcome: 'released', failure: { code: 'c', message: 'm' }, details: {} } as const
  expect((await step({ failure }, released)).answer).toMatchObject({ next: 'failed' })
  const error = { code: 'invalidCsv', message: 'm' }
  const { asked } = await step({ job: { status: 'error', jobId: 7, error } }, released)
  expect(asked).toMatchObject([{ failure: { Error: 'invalidCsv' } }])
})

it('a table that was made meanwhile is loaded into', async () => {
  const error = { code: TABLE_EXISTS_CODE, message: 'm' }
  const { answer, asked } = await step({ job: { status: 'error', jobId: 7, error } }, started)
  expect(answer).toMatchObject({ next: 'poll' })
  expect(asked).toEqual([expect.not.objectContaining({ failure: expect.anything() })])
})

it('the failure of the job is told, also when the step after it failed', async () => {
  const error = { code: 'invalidCsv', message: 'm' }
  const released = { outcome: 'released', failure: { code: 'c', message: 'm' }, details: {} } as const
  const { asked } = await step({ job: { status: 'error', jobId: 7, error }, failure }, released)
  expect(asked).toMatchObject([{ failure: { Error: 'invalidCsv' } }])
})
