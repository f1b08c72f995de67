import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { PutObjectCommand } from '@aws-sdk/client-s3'
import { createAdaptorServer } from '@hono/node-server'
import { afterAll, beforeAll, beforeEach } from 'vitest'
import type { StartImportDependencies } from '#functions/start-import/import-version.ts'
import { createTransfer, type TransferOptions } from '#functions/start-import/transfer.ts'
import type { LandedObject } from '#lib/landed-object.ts'
import { IF_EXISTS_FEATURE } from '#lib/storage-client/load-into-table.ts'
import { createStorageClient, type StorageClient } from '#lib/storage-client/storage-client.ts'
import { startImport } from '#support/told-import.ts'
import { createTestRecords, type TestRecords } from './import-records.ts'
import { s3WithAt } from './s3-with.ts'
import { type StorageService, startStorageService } from './storage-service.ts'

export const LANDING = 'landing'

export let service: StorageService
let api: Server
export let storage: StorageClient
export let records: TestRecords
export let dependencies: StartImportDependencies
export let bucketId: string
let buckets = 0
let lastJobBefore = 0

/** The storage service with a landing bucket, for one test file; each test has a bucket of tables of its own. */
export const useImportService = (): void => {
  beforeAll(async () => {
    service = await startStorageService()
    api = createAdaptorServer({ fetch: service.app.fetch }) as Server // Without options it makes a plain HTTP server.
    await new Promise<void>(resolve => api.listen(0, '127.0.0.1', resolve))
    const { port } = api.address() as AddressInfo // It listens on a port.
    storage = createStorageClient({ baseUrl: `http://127.0.0.1:${port}`, token: service.token })
    records = createTestRecords()
    await service.makeS3Bucket(LANDING, { versioned: true })
    dependencies = {
      s3: service.s3,
      transfer: transferOf({ ownFilesBucket: service.filesBucket }),
      storage,
      acceptedLoads: undefined,
      hasIfExists: of => of.knows(IF_EXISTS_FEATURE),
      records,
      rules: [],
      now: () => new Date(),
      log: { info: () => {}, warn: () => {} },
    }
  })

  beforeEach(async () => {
    const { body: jobs } = await service.call('GET', '/v2/storage/jobs?limit=1')
    lastJobBefore = jobs[0]?.id ?? 0
    buckets += 1
    bucketId = `in.c-test${buckets}`
  })

  afterAll(async () => {
    await new Promise(resolve => api.close(resolve))
    await service?.close()
  })
}

/** The transfer of the handler, as a test changes it. */
export const transferOf = (changed: Partial<TransferOptions> & { ownFilesBucket: string }) =>
  createTransfer({ s3: service.s3, s3With, ...changed })

/** What the handler does, with the endpoint of the test. */
export const s3With: TransferOptions['s3With'] = (region, credentials) =>
  s3WithAt(service.s3Endpoint)(region, credentials)

/** Puts an object, and says of it what S3's event would. */
export const land = async (
  key: string,
  content: string | Uint8Array,
  metadata: Record<string, string> = {},
): Promise<LandedObject> => {
  const { VersionId } = await service.s3.send(
    new PutObjectCommand({ Bucket: LANDING, Key: key, Body: content, Metadata: metadata }),
  )
  return { bucket: LANDING, key, versionId: VersionId }
}

let executions = 0
export const newExecution = (): string => {
  executions += 1
  return `execution-${executions}`
}

export const start = (
  event: LandedObject,
  execution = newExecution(),
  changed: Partial<StartImportDependencies> = {},
) => startImport({ ...dependencies, ...changed }, { event, execution })

export const finishJobs = (): Promise<void> => service.jobsEnded()

/** The jobs of this test, newest first. */
export const jobsOfTest = async (): Promise<{ id: number; status: string }[]> => {
  await finishJobs()
  const { body } = await service.call('GET', '/v2/storage/jobs?limit=100')
  return body.filter(({ id }: { id: number }) => id > lastJobBefore)
}

export const rowsOf = async (table: string): Promise<string[]> => {
  await finishJobs()
  const { text } = await service.call('GET', `/v2/storage/tables/${bucketId}.${table}/data-preview`)
  return text.trimEnd().split('\n')
}
