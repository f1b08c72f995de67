import { PutObjectCommand } from '@aws-sdk/client-s3'
import { expect, it } from 'vitest'
import { createMonthlyRecords } from '#lib/storage/db/monthly-records.ts'
import { jobRecord } from '#lib/storage/jobs/job-record.ts'
import { createOpenJobs } from '#lib/storage/jobs/open-jobs.ts'
import { createTableQueue } from '#lib/storage/jobs/table-queue.ts'
import { startEmbeddedCloud } from '../../local/runtime/embedded-cloud.ts'
import { callerOf, itemsOf, s3Of } from '../support/cloud-clients.ts'
import { hasEnded, poll } from '../support/poll.ts'
import { folderUntilEnd, untilEnd } from '../support/until-end.ts'

const cloud = await untilEnd(startEmbeddedCloud({ dataDir: folderUntilEnd() }))
const api = callerOf(() => cloud)
const s3 = s3Of(cloud)

const upload = async (content: string): Promise<number> => {
  const file = await api('POST', 'files/prepare', { name: 'rows.csv', federationToken: 1 })
  const { bucket: Bucket, key: Key } = file.uploadParams
  await s3.send(new PutObjectCommand({ Bucket, Key, Body: content }))
  return file.id
}

const ended = (id: number) => poll(() => api('GET', `jobs/${id}`), hasEnded)

it('a job whose execution is gone after its head has moved is closed as done by another one, in the rights of its functions', async () => {
  await api('POST', 'buckets', { stage: 'in', name: 'main' })
  const created = await api('POST', 'buckets/in.c-main/tables-async', {
    name: 'orders',
    dataFileId: await upload('n\n0\n'),
  })
  expect((await ended(created.id)).status).toBe('success')
  const tableId = 'in.c-main.orders'
  const load = async (content: string): Promise<number> => {
    const dataFileId = await upload(content)
    return (await api('POST', `tables/${tableId}/import-async`, { dataFileId, incremental: 1 })).id
  }
  const jobId = await load('n\n1\n')
  expect((await ended(jobId)).status).toBe('success')

  // What a stopped execution leaves whose function died between the head and the end of the job.
  const items = itemsOf(cloud)
  const records = createMonthlyRecords(items, 'JOBS', item => jobRecord.parse(item))
  const stored = await records.get(jobId)
  if (stored?.status !== 'success') throw new Error('The job has ended')
  const { endTime: _, results: _results, metrics: _metrics, ...open } = stored
  const startTime = new Date(Date.now() - 20 * 60_000).toISOString()
  const queue = createTableQueue(items)
  await items.transact([
    records.writing(jobRecord.parse({ ...open, status: 'processing', startTime }), { status: 'success' }),
    createOpenJobs(items).opening({ id: jobId, queue: `1/${tableId}` }),
    queue.entering(tableId, jobId),
    queue.taking(tableId, jobId),
  ])

  const next = await load('n\n2\n')
  expect(await ended(jobId)).toMatchObject({
    status: 'success',
    results: { importedRowsCount: 1, totalRowsCount: 2 },
  })
  expect((await ended(next)).status).toBe('success')
  expect((await api('GET', `tables/${tableId}`)).rowsCount).toBe(3)

  const machineArn = cloud.describeOutputs()['JobMachineArn'] ?? ''
  const closing = () => cloud.host.machines.describe({ machineArn, name: `job-${jobId}-close` })
  await expect.poll(async () => (await closing())?.status).toBe('SUCCEEDED')
  expect(await api('GET', 'dead-letters')).toEqual([])
})
