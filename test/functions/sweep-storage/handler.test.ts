import type { Context } from 'aws-lambda'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import scheduled from '#events/sweep-storage/scheduled.json' with { type: 'json' }
import { sweepKinds } from '#functions/sweep-storage/sweep-kinds.ts'
import { giveHost } from '#lib/cloud/host.ts'
import { type StorageService, startStorageService } from '../../support/storage-service.ts'

/* The handler as the cloud loads it: everything it knows comes from the environment. */
let service: StorageService
let handler: (event: unknown, context: Context) => Promise<unknown>

beforeAll(async () => {
  service = await startStorageService()
  giveHost({ items: () => service.itemStore })
  for (const [name, value] of Object.entries({
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'test',
    AWS_SECRET_ACCESS_KEY: 'test-secret',
    AWS_ENDPOINT_URL_S3: service.s3Endpoint,
    POWERTOOLS_LOG_LEVEL: 'SILENT',
    STORAGE_TABLE: 'items',
    FILES_BUCKET: service.filesBucket,
    TABLES_BUCKET: service.tablesBucket,
    SNAPSHOT_RETENTION_DAYS: '7',
  }))
    vi.stubEnv(name, value)
  const loaded = await import('#functions/sweep-storage/handler.ts')
  // middy types the handler by the callback form of Lambda as well, which nobody calls.
  handler = loaded.handler as unknown as typeof handler
})
afterAll(async () => {
  vi.unstubAllEnvs()
  await service.close()
})

// The handler reads nothing of its context but its request id.
const context = { awsRequestId: 'test', functionName: 'test' } as Context

describe('the sweep from its environment', () => {
  it('sweeps the kind of the schedule’s event, and refuses an event without one', async () => {
    const bucketId = await service.createBucket('main')
    const tableId = await service.createTable(bucketId, 't', 'a\n1\n')
    expect(scheduled).toEqual({ kind: 'table-objects' })
    for (const kind of sweepKinds)
      expect(await handler({ kind }, context)).toEqual({ kind, swept: 0, isWhole: true })
    await expect(handler({}, context)).rejects.toMatchObject({ code: 'event.invalid' })
    const { text } = await service.call('GET', `/v2/storage/tables/${tableId}/data-preview`)
    expect(text).toBe('"a"\n"1"\n')
  })
})
