import { expect, it } from 'vitest'
import { newRow, newRun } from '#functions/run-extractor/begin-run.ts'
import { tellProgress } from '#functions/run-extractor/run-leg.ts'
import { foreignCode } from '#lib/errors/codes.ts'
import { UserError } from '#lib/errors/errors.ts'
import type { Configuration } from '#lib/storage-client/storage-client.ts'
import type { RunProgress } from '#lib/wire/run-body.ts'

const toBegin = {
  runId: 'run-1',
  input: { componentId: 'ex-generic-v2', configId: 'shop', overlap: 'skip' as const },
  configuration: { version: 1, configuration: {} } as Configuration, // no more of it is read
  authors: [],
}
const earlier = { job: '0', endpoint: 'orders', dataType: 'orders', runs: 1, pages: 7, rows: 70, ended: {} }
const run = {
  ...newRun(toBegin, new Date()),
  rows: [
    newRow({ id: 'a', name: 'customers' }),
    { ...newRow({ id: 'b', name: '' }), legs: 1, jobs: [earlier] },
  ],
  rowIndex: 1,
}
const page = (pages: number) => ({
  pages,
  rows: 10 * pages,
  retries: 0,
  requests: pages + 1,
  waitedSeconds: 1.4,
  url: 'https://a.example',
})

it('counts the pages of the legs before, and says one word at a time', async () => {
  const said: RunProgress[] = []
  const progress = tellProgress(run, { noteProgress: async (_, word) => void said.push(word) }, 0)
  progress.onProgress(page(1))
  progress.onProgress(page(2))
  await progress.settled()
  const place = { row: 2, rowsCount: 2, rowName: 'b', leg: 2 }
  const counts = { rows: 10, retries: 0, requests: 2, waitedSeconds: 1 }
  expect(said).toEqual([{ ...place, pages: 8, ...counts }])
  progress.onProgress(page(3))
  await progress.settled()
  expect(said.map(({ pages }) => pages)).toEqual([8, 10])
})

it('says nothing of a leg that is soon over', async () => {
  const progress = tellProgress(run, { noteProgress: () => Promise.reject(new Error('It was asked')) })
  progress.onProgress(page(1))
  await progress.settled()
})

it.each([
  ['a service that has no runs is asked once', new UserError(foreignCode('storage.http404'), 'None'), 1],
  ['a run that is not known yet is told again', new UserError('storage.runs.notFound', 'None'), 2],
  ['what may pass is told again', new Error('It got no answer'), 2],
])('%s', async (_, error, times) => {
  let asked = 0
  const noteProgress = () => {
    asked++
    return Promise.reject(error)
  }
  const progress = tellProgress(run, { noteProgress }, 0)
  for (const pages of [1, 2]) {
    progress.onProgress(page(pages))
    await progress.settled()
  }
  expect(asked).toBe(times)
})
