import { expect, it } from 'vitest'
import { asPatientAs, busy, type StartImportResult } from '#functions/start-import/start-import-result.ts'

const started = (waitSeconds: number): StartImportResult => ({
  outcome: 'started',
  jobId: 1,
  fileId: 2,
  tableId: 'in.c-main.orders',
  waitSeconds,
  reloadedVersions: 0,
})

it.each([
  ['after a second when the file has just landed', 0, 1, 1],
  ['after a quarter of the time for which the hook was waited for', 40, 1, 10],
  ['as late as the service advises', 40, 25, 25],
  ['after a minute at most', 1000, 1, 60],
])('the job is looked at first %s', (_case, ageSeconds, waitSeconds, expected) => {
  expect(asPatientAs(ageSeconds, started(waitSeconds))).toEqual({
    ...started(expected),
    waitsFor: ['job-1'],
  })
})

it('an execution that waits for its key waits longer when it is old', () => {
  expect(asPatientAs(10, busy(2))).toEqual(busy(2))
  expect(asPatientAs(1000, busy(2))).toEqual(busy(10))
})
