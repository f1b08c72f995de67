import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import type { ReadSecret } from '#lib/cloud/secrets.ts'
import { asTransient } from '#lib/errors/as-transient.ts'
import { TransientError } from '#lib/errors/errors.ts'

const ARN = 'arn:aws:secretsmanager:us-east-1:000000000000:secret:token'
let server: Server
let readSecret: ReadSecret
/** Status and body of each answer; the last one again and again. */
let answers: [number, string][]
let asked: { headers: IncomingMessage['headers']; body: string }[]

beforeEach(() => {
  asked = []
})
beforeAll(async () => {
  server = createServer(async (request, response) => {
    asked.push({ headers: request.headers, body: await text(request) })
    const [status, body] = (answers.length > 1 ? answers.shift() : answers[0]) ?? [500, '']
    response.writeHead(status, { 'content-type': 'application/x-amz-json-1.1' }).end(body)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  // A server that listens on TCP has an address of this kind.
  const { port } = server.address() as AddressInfo
  for (const [name, value] of Object.entries({
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'test',
    AWS_SECRET_ACCESS_KEY: 'test-secret',
    AWS_SESSION_TOKEN: 'session',
    AWS_ENDPOINT_URL: `http://127.0.0.1:${port}`,
  }))
    vi.stubEnv(name, value)
  // Its client is made once, with the environment of its first request.
  vi.resetModules()
  readSecret = (await import('#lib/cloud/secrets-manager.ts')).readFromSecretsManager
})
afterAll(async () => {
  vi.unstubAllEnvs()
  // Other files in this worker would ask the server of this one.
  vi.resetModules()
  await new Promise(resolve => server.close(resolve))
})

describe('readSecret', () => {
  it('asks for the secret with a signature of the function’s credentials', async () => {
    answers = [[200, '{"SecretString":"1-2-abc"}']]
    expect(await readSecret(ARN, 'AWSCURRENT')).toMatchObject({ text: '1-2-abc' })
    expect(asked).toMatchObject([
      {
        body: JSON.stringify({ SecretId: ARN, VersionStage: 'AWSCURRENT' }),
        headers: {
          'x-amz-target': 'secretsmanager.GetSecretValue',
          'x-amz-security-token': 'session',
          authorization: expect.stringMatching(
            /^AWS4-HMAC-SHA256 Credential=test\/\d{8}\/us-east-1\/secretsmanager\//,
          ),
        },
      },
    ])
  })

  it('knows when a version was made, and that a secret may have none before', async () => {
    answers = [[200, '{"SecretString":"1-2-abc","CreatedDate":1784197230.5}']]
    expect(await readSecret(ARN, 'AWSCURRENT')).toEqual({ text: '1-2-abc', createdAt: 1_784_197_230_500 })
    answers = [[400, '{"__type":"ResourceNotFoundException","Message":"no"}']]
    expect(await readSecret(ARN, 'AWSPREVIOUS')).toBeUndefined()
  })

  it.each([429, 500, 503])('asks again after a %i', async status => {
    answers = [
      [status, ''],
      [200, '{"SecretString":"1-2-abc"}'],
    ]
    expect(await readSecret(ARN, 'AWSCURRENT')).toMatchObject({ text: '1-2-abc' })
  })

  it('throws what may pass so that Step Functions tries it again', async () => {
    answers = [[503, 'Service Unavailable']]
    const error = await readSecret(ARN, 'AWSCURRENT').catch((error: unknown) => error)
    expect(asTransient(error)).toBeInstanceOf(TransientError)
  })

  it('throws a refusal under its own name, and is not kept busy with it', async () => {
    answers = [[400, '{"__type":"ResourceNotFoundException","Message":"no"}']]
    await expect(readSecret(ARN, 'AWSCURRENT')).rejects.toMatchObject({
      name: 'ResourceNotFoundException',
      $metadata: { httpStatusCode: 400 },
    })
    expect(asked).toHaveLength(1)
  })

  it('shows nothing of half a reply', async () => {
    answers = [[200, '{"SecretString":"hunter2']]
    const error = await readSecret(ARN, 'AWSCURRENT').catch((error: unknown) => error)
    expect(error).toBeInstanceOf(Error)
    expect(String(error)).not.toContain('hunter2')
  })
})
