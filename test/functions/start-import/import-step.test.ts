import { describe, expect, it } from 'vitest'
import type { ImportAnswer } from '#functions/start-import/import-version.ts'
import { asPatientAs, importStep } from '#functions/start-import/start-import.ts'
import { stepEvent } from '#lib/drive/step.ts'
import { TABLE_EXISTS_CODE } from '#lib/storage-client/table-exists-code.ts'
import { bucketId, dependencies, land, newExecution, useImportService } from '#support/import-service.ts'

useImportService()

describe('a step', () => {
  const failure = { Error: 'Lambda.Unknown', Cause: 'died' }
  const ended = (code: string) => ({ status: 'error', jobId: 7, error: { code, message: 'm' } })
  const step = async (given: object) => {
    const { key, bucket } = await land(`${bucketId}/orders.csv`, 'id\n1\n')
    const event = {
      input: { bucket, key },
      execution: newExecution(),
      since: '2026-11-28T00:00:00Z',
      ...given,
    }
    return importStep(stepEvent.parse({ state: null, ...event }), dependencies)
  }

  it.each<[string, object, object]>([
    [
      'of a good file ends with its job, without another call',
      {},
      { next: 'poll', output: { reloadedVersions: 0 } },
    ],
    ['that failed ends the import', { failure }, { next: 'failed', failure: { code: 'Lambda.Unknown' } }],
    [
      'whose job failed ends it',
      { job: ended('invalidCsv') },
      { next: 'failed', failure: { code: 'invalidCsv' } },
    ],
    [
      'whose job failed says that, also when the step after it failed',
      { job: ended('invalidCsv'), failure },
      { next: 'failed', failure: { code: 'invalidCsv', message: 'm' } },
    ],
    ['whose table was made meanwhile loads into that', { job: ended(TABLE_EXISTS_CODE) }, { next: 'poll' }],
  ])('%s', async (_, given, answer) => {
    expect(await step(given)).toMatchObject(answer)
  })
})

const poll = (waitSeconds: number): ImportAnswer => ({
  next: 'poll',
  jobId: 1,
  waitSeconds,
  output: { outcome: 'started' },
})

it.each([
  ['after a second when the file has just landed', 0, 1, 1],
  ['after a quarter of the time for which the hook was waited for', 40, 1, 10],
  ['as late as the service advises', 40, 25, 25],
  ['after a minute at most', 1000, 1, 60],
])('the job is looked at first %s', (_case, ageSeconds, waitSeconds, expected) => {
  expect(asPatientAs(ageSeconds, poll(waitSeconds))).toEqual(poll(expected))
})

it('an execution that waits for its key waits longer when it is old', () => {
  const again = (waitSeconds: number): ImportAnswer => ({ next: 'again', waitSeconds })
  expect(asPatientAs(10, again(2))).toEqual(again(2))
  expect(asPatientAs(1000, again(2))).toEqual(again(10))
})
