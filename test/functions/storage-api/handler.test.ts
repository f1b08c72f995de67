import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Context } from 'aws-lambda'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import createBucket from '#events/storage-api/create-bucket-form.json' with { type: 'json' }
import uploadFile from '#events/storage-api/upload-file.json' with { type: 'json' }
import type { GatewayResult } from '#functions/storage-api/gateway.ts'
import { giveHost } from '#lib/cloud/host.ts'
import { withStorage } from '../../support/storage-service.ts'
import { untilEnd } from '../../support/until-end.ts'

/*
 * The handlers as the cloud loads them: everything they know comes from the environment. Step Functions and Secrets
 * Manager are played by a small server, which gives jobs to the handler of run-job.
 */
let handler: (event: unknown, context: Context) => Promise<GatewayResult>
let answer: (event: unknown) => Promise<GatewayResult>
/** As the job machine makes it. */
const stepOf = (given: { jobId: number }) => ({
  input: given,
  execution: `arn:aws:states:us-east-1:000000000000:execution:jobs:job-${given.jobId}`,
  since: new Date().toISOString(),
  state: null,
})

let runJob: (event: unknown, context: Context) => Promise<unknown>
/** They run a little longer than the job. */
const runs: Promise<unknown>[] = []

const service = await withStorage()
const server = await untilEnd(
  createServer(async (request, response) => {
    const [, operation] = String(request.headers['x-amz-target']).split('.')
    const input = await readJson(request)
    if (operation === 'StartExecution') runs.push(runJob(stepOf(JSON.parse(input.input)), context))
    const secret = {
      SecretString: JSON.stringify({ projectId: '7', tokenId: '42', secret: 'fromTheSecret' }),
    }
    const reply = operation === 'GetSecretValue' ? secret : { executionArn: 'arn', startDate: 1 }
    response.writeHead(200, { 'content-type': 'application/x-amz-json-1.1' }).end(JSON.stringify(reply))
  }),
)
await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
// A server that listens on TCP has an address of this kind.
const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
beforeAll(async () => {
  giveHost({ items: () => service.itemStore, assumeRole: service.assumeRole })
  for (const [name, value] of Object.entries({
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'test',
    AWS_SECRET_ACCESS_KEY: 'test-secret',
    AWS_ENDPOINT_URL_S3: service.s3Endpoint,
    AWS_ENDPOINT_URL_SECRETS_MANAGER: endpoint,
    AWS_ENDPOINT_URL_SFN: endpoint,
    POWERTOOLS_LOG_LEVEL: 'SILENT',
    STORAGE_TABLE: 'items',
    FILES_BUCKET: service.filesBucket,
    TABLES_BUCKET: service.tablesBucket,
    FILE_ACCESS_ROLE_ARN: service.roleArn,
    TABLE_ACCESS_ROLE_ARN: service.tableRoleArn,
    JOB_MACHINE_ARN: 'arn:aws:states:us-east-1:123456789012:stateMachine:jobs',
    EXTRACT_MACHINE_ARN: 'arn:aws:states:us-east-1:123456789012:stateMachine:extract',
    STORAGE_TOKEN_SECRET_ARN: 'arn:aws:secretsmanager:us-east-1:123456789012:secret:token',
    SECRETS_KEY_ARN: 'arn:aws:kms:us-east-1:000000000000:key/secrets',
    PROJECT_ID: '7',
    BACKEND_NAME: 'bigquery',
    NUMBER_ROUNDING: 'refuse',
    SNAPSHOT_RETENTION_DAYS: '7',
    ALLOWED_HOSTS: '[]',
    DATA_KEY_ARN: 'NONE',
    PREVIEW_FUNCTION: 'none',
    SINGLE_LOAD_BYTES: '2147483648',
    SINGLE_MERGE_BYTES: '2147483648',
    MERGE_APPLICATION: 'NONE',
    SINGLE_EXPORT_BYTES: '2147483648',
    EXPORT_PART_BYTES: '268435456',
    LOAD_RANGE_BYTES: '268435456',
  }))
    vi.stubEnv(name, value)
  const [storageApi, job] = await Promise.all([
    import('#functions/storage-api/handler.ts'),
    import('#functions/run-job/handler.ts'),
  ])
  // middy types the handler by the callback form of Lambda as well, which nobody calls.
  handler = storageApi.handler as unknown as typeof handler
  runJob = job.handler as unknown as typeof runJob
  answer = storageApi.answer
})
afterAll(async () => {
  await Promise.all(runs)
  vi.unstubAllEnvs()
  server.closeAllConnections()
})

// The handlers read nothing of their context but its request id.
const context = {
  awsRequestId: 'test',
  functionName: 'test',
  getRemainingTimeInMillis: () => 30_000,
} as Context
const token = '7-42-fromTheSecret'
/** A request as it comes from the gateway. */
const call = async (path: string, body?: unknown) => {
  const { requestContext, ...event } = createBucket
  const method = body === undefined ? 'GET' : 'POST'
  const { statusCode, body: text } = await answer({
    ...event,
    rawPath: path,
    headers: { ...event.headers, 'content-type': 'application/json', 'x-storageapi-token': token },
    requestContext: { ...requestContext, http: { ...requestContext.http, method, path } },
    body: JSON.stringify(body),
    isBase64Encoded: false,
  })
  return { status: statusCode, body: JSON.parse(text) }
}

describe('the storage service from its environment', () => {
  it('answers events of the gateway with the token of the secret', async () => {
    const authorized = { ...createBucket, headers: { ...createBucket.headers, 'x-storageapi-token': token } }
    const { statusCode, body } = await handler(authorized, context)
    expect([statusCode, JSON.parse(body)]).toMatchObject([201, { id: 'in.c-orders', backend: 'bigquery' }])
    expect((await handler(createBucket, context)).statusCode).toBe(401)
  })

  it('answers several events at once, and has their jobs done by run-job', async () => {
    const [{ body: file }] = await Promise.all([
      answer({ ...uploadFile, headers: { ...uploadFile.headers, 'x-storageapi-token': token } }).then(
        ({ body }) => ({ body: JSON.parse(body) }),
      ),
      call('/v2/storage'),
    ])
    const created = await call('/v2/storage/buckets/in.c-orders/tables-async', {
      name: 'cities',
      dataFileId: file.id,
    })
    expect(created.status).toBe(202)
    const { body: job } = await call(`/v2/storage/jobs/${created.body.id}`)
    expect(job).toMatchObject({ status: 'success', results: { rowsCount: 1 } })
    expect((await call('/v2/storage/tables/in.c-orders.cities')).body).toMatchObject({
      columns: ['id', 'city'],
    })
  })
})

const readJson = async (request: IncomingMessage): Promise<{ input: string }> => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  return JSON.parse(Buffer.concat(chunks).toString())
}
