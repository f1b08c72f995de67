import { afterAll, expect, it } from 'vitest'
import { runJob } from '#functions/run-job/run-job.ts'
import { createMergeNotes } from '#lib/distributed/merge-notes.ts'
import { UserError } from '#lib/errors/errors.ts'
import { sendCodeInStack } from '#lib/errors/machine-failure.ts'
import { startJobsByHand } from '../../support/jobs-by-hand.ts'

const { service, run, submitImport, jobOf, createTable, rowsOf } = await startJobsByHand()
afterAll(() => service.close())

const stagedMerges = createMergeNotes(service.s3, service.tablesBucket)
const services = { ...service.jobServices, stagedMerges }

const stage = async (tableId: string, jobId: number) => {
  const table = await service.stores.tables.get(tableId)
  if (!table) throw new Error('There is no table')
  const { fields, files, lastFieldId } = table.snapshot
  await stagedMerges.writeStaged(
    { jobId, tableId, incremental: true, fields, files },
    { lastFieldId, lastLoad: { ...table.lastLoad, jobId }, loadedAt: '2026-01-01T00:00:00.000Z' },
  )
}

it('a load whose rows are staged waits for Athena, and finds its work done afterwards', async () => {
  const tableId = await createTable()
  const jobId = await submitImport(tableId, 'n\n1\n')
  await stage(tableId, jobId)
  expect(await runJob({ jobId }, services)).toEqual({ status: 'merge', correlationId: `job-${jobId}` })
  expect(await runJob({ jobId }, services)).toEqual({ status: 'merge', correlationId: `job-${jobId}` })

  const table = await service.stores.tables.get(tableId)
  if (!table) throw new Error('There is no table')
  expect(await service.stores.tables.replace({ ...table, lastLoad: { ...table.lastLoad, jobId } })).toBe(true)
  expect(await runJob({ jobId }, services)).toEqual({ status: 'done' })
  expect(await jobOf(jobId)).toMatchObject({ status: 'success' })
})

it('a merge that cannot be done ends its job with the reason, and the next job of the table runs', async () => {
  const tableId = await createTable()
  const jobId = await submitImport(tableId, 'n\n1\n')
  const next = await submitImport(tableId, 'n\n2\n')
  await stage(tableId, jobId)
  expect(await runJob({ jobId }, services)).toEqual({ status: 'merge', correlationId: `job-${jobId}` })
  const error = new UserError('storage.tables.distributed.queryFailed', 'The query reads too much.')
  sendCodeInStack(error)
  const Cause = JSON.stringify({
    errorType: 'UserError',
    errorMessage: error.message,
    trace: (error.stack ?? '').split('\n'),
  })
  expect(await runJob({ jobId, refusal: { Error: 'UserError', Cause } }, services)).toEqual({
    status: 'done',
  })
  expect(await jobOf(jobId)).toMatchObject({
    status: 'error',
    error: { code: 'storage.tables.distributed.queryFailed', message: 'The query reads too much.' },
  })
  expect(await run(next)).toEqual({ status: 'done' })
  expect(await rowsOf(tableId)).toEqual(['"0"', '"2"'])
})
