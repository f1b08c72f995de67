import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createTableRequests } from '../../functions/lib/aws/table-requests.ts'
import { createIdSource } from '../../functions/lib/storage/db/ids.ts'
import { createItemTable } from '../../functions/lib/storage/db/item-table.ts'
import { createJobStore } from '../../functions/lib/storage/jobs/job-store.ts'
import { type EmbeddedCloud, startEmbeddedCloud } from '../../local/runtime/embedded-cloud.ts'

let dataDir: string

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'millrace-open-jobs-'))
})

afterAll(async () => {
  await rm(dataDir, { recursive: true, force: true })
})

/** The stored jobs. Reading one through the API would start it. */
const jobsIn = async (cloud: EmbeddedCloud) => {
  const settings = {
    region: cloud.region,
    endpoint: cloud.dynamodb,
    credentials: { accessKeyId: cloud.accessKeyId, secretAccessKey: cloud.secretAccessKey },
  }
  const dynamo = new DynamoDBClient({ ...settings, credentials: { ...settings.credentials } })
  const { TableNames = [] } = await dynamo.send(new ListTablesCommand({}))
  const tableName = TableNames.find(name => /storage.items/i.test(name)) ?? ''
  dynamo.destroy()
  return createJobStore(createItemTable(createTableRequests(settings), tableName), createIdSource())
}

const inCloud = async <Result>(work: (cloud: EmbeddedCloud) => Promise<Result>): Promise<Result> => {
  const cloud = await startEmbeddedCloud({ dataDir })
  try {
    return await work(cloud)
  } finally {
    await cloud.close()
  }
}

it('a job that a crash left unstarted runs after the next start, without any request', async () => {
  const jobId = await inCloud(async cloud => {
    const jobs = await jobsIn(cloud)
    const job = await jobs.create(createIdSource(), id => ({
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
      requestKey: null,
    }))
    return job.id
  })
  await inCloud(async cloud => {
    const jobs = await jobsIn(cloud)
    let status: string | undefined
    do {
      await new Promise(resolve => setTimeout(resolve, 100))
      status = (await jobs.get(jobId))?.status
    } while (status === 'waiting' || status === 'processing')
    expect(status).toBe('success')
  })
})
