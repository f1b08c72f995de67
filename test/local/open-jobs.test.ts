import { expect, it } from 'vitest'
import { itemsOf } from '#support/cloud-clients.ts'
import { startCloud } from '#support/start-cloud.ts'
import { folderUntilEnd } from '#support/until-end.ts'
import { createIdSource } from '../../functions/lib/storage/db/ids.ts'
import { createJobStore } from '../../functions/lib/storage/jobs/job-store.ts'
import type { EmbeddedCloud } from '../../local/runtime/embedded-cloud.ts'

const dataDir = folderUntilEnd()

/** The stored jobs. Reading one through the API would start it. */
const jobsIn = (cloud: EmbeddedCloud) => createJobStore(itemsOf(cloud), createIdSource())

const inCloud = async <Result>(work: (cloud: EmbeddedCloud) => Promise<Result>): Promise<Result> => {
  const cloud = await startCloud({ dataDir })
  try {
    return await work(cloud)
  } finally {
    await cloud.close()
  }
}

it('a job that a crash left unstarted runs after the next start, without any request', async () => {
  const jobId = await inCloud(async cloud => {
    const jobs = jobsIn(cloud)
    const job = await jobs.accept(id => ({
      id,
      status: 'waiting',
      input: { operationName: 'fileDelete', fileId: 1 },
      queueTableId: null,
      tableId: null,
      operationParams: {},
      createdTime: new Date(Date.now() - 60_000).toISOString(),
      runId: null,
      creatorToken: { id: '1', description: 'test' },
      baseUrl: cloud.api,
    }))
    return job.id
  })
  await inCloud(async cloud => {
    const jobs = jobsIn(cloud)
    let status: string | undefined
    do {
      await new Promise(resolve => setTimeout(resolve, 100))
      status = (await jobs.get(jobId))?.status
    } while (status === 'waiting' || status === 'processing')
    expect(status).toBe('success')
  })
})
