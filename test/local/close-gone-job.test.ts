import { PutObjectCommand } from '@aws-sdk/client-s3'
import { expect, it } from 'vitest'
import { createSpreadRecords } from '#lib/storage/db/spread-records.ts'
import { jobRecord } from '#lib/storage/jobs/job-record.ts'
import { createOpenJobs } from '#lib/storage/jobs/open-jobs.ts'
import { createTableQueue } from '#lib/storage/jobs/table-queue.ts'
import { startCloud } from '#support/start-cloud.ts'
import { callerOf, itemsOf, s3Of } from '../support/cloud-clients.ts'
import { hasEnded, poll } from '../support/poll.ts'
import { folderUntilEnd, untilEnd } from '../support/until-end.ts'

const cloud = await untilEnd(startCloud({ dataDir: folderUntilEnd() }))
const api = callerOf(() => cloud)
const s3 = s3Of(cloud)

const upload = async (content: string): Promise<number> => {
  const file = await api('POST', 'files/prepare', { name: 'rows.csv', federationToken: 1 })
  const { bucket: Bucket, key: Key } = file.uploadParams
  await s3.send(new PutObjectCommand({ Bucket, Key, Body: content }))
  return file.id
}

const ended = (id: number) => poll(() => api('GET', `jobs/${id}`), hasEnded)

await api('POST', 'buckets', { stage: 'in', name: 'main' })
const tableId = 'in.c-main.orders'
const items = itemsOf(cloud)
const queue = createTableQueue(items)
const records = createSpreadRecords(items, 'JOBS', item => jobRecord.parse(item))

/** Longer than a step may last. */
const startTime = new Date(Date.now() - 20 * 60_000).toISOString()

const load = async (content: string): Promise<number> => {
  const dataFileId = await upload(content)
  return (await api('POST', `tables/${tableId}/import-async`, { dataFileId, incremental: 1 })).id
}

it('a job whose execution is gone is closed by another one, in the rights of its functions', async () => {
  const created = await api('POST', 'buckets/in.c-main/tables-async', {
    name: 'orders',
    dataFileId: await upload('n\n0\n'),
  })
  expect((await ended(created.id)).status).toBe('success')
  // What a stopped execution leaves whose function died before the end of the job.
  const stored = await records.get(created.id)
  if (stored?.status !== 'success') throw new Error('The job has ended')
  const { endTime: _, results: _results, metrics: _metrics, ...open } = stored
  await items.transact([
    records.writing(jobRecord.parse({ ...open, status: 'processing', startTime }), { status: 'success' }),
    createOpenJobs(items).opening({ id: created.id, queue: `1/${tableId}` }),
    queue.entering(tableId, created.id),
    queue.taking(tableId, created.id),
  ])
  const next = await load('n\n2\n')
  expect((await ended(created.id)).error.message).toContain('was not done')
  expect((await ended(next)).status).toBe('success')
  const machineArn = cloud.describeOutputs()['JobMachineArn'] ?? ''
  const closing = () => cloud.host.machines.describe({ machineArn, name: `job-${created.id}-close` })
  await expect.poll(async () => (await closing())?.status).not.toBe('RUNNING')
})

it('a job whose work is decided and whose execution is gone is ended by the clock, in the rights of its functions', async () => {
  const jobId = await load('n\n3\n')
  expect((await ended(jobId)).status).toBe('success')
  const stored = await records.get(jobId)
  if (stored?.status !== 'success') throw new Error('The job has ended')
  const { endTime: _, results, metrics, ...open } = stored
  const decided = { results, metrics, rest: { internalId: 1 } }
  await items.transact([
    records.writing(jobRecord.parse({ ...open, status: 'processing', startTime, decided }), {
      status: 'success',
    }),
    createOpenJobs(items).opening({ id: jobId, queue: `1/${tableId}` }),
    queue.entering(tableId, jobId),
    queue.taking(tableId, jobId),
  ])
  const next = await load('n\n4\n')
  expect((await ended(jobId)).results).toEqual(results)
  expect((await ended(next)).status).toBe('success')
  expect((await api('GET', `tables/${tableId}`)).rowsCount).toBe(4)
  await expect.poll(() => Array.fromAsync(createOpenJobs(items).list())).toEqual([])
})
