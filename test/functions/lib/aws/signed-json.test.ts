import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createIsExecutionRunning } from '#lib/aws/is-execution-running.ts'
import { createKmsRequest } from '#lib/aws/kms-request.ts'
import { createJsonRequest, type JsonRequest, postJson, type ServiceSettings } from '#lib/aws/signed-json.ts'
import { asTransient } from '#lib/errors/as-transient.ts'
import { TransientError } from '#lib/errors/errors.ts'
import { authenticator } from '#local/runtime/control/authenticate.ts'

type Answer = (response: ServerResponse) => void

let server: Server
let settings: ServiceSettings
/** What the service does with each request; the last one again and again. */
let answers: Answer[]
let requests: number

beforeEach(async () => {
  requests = 0
  server = createServer((request, response) => {
    requests++
    request.resume().on('end', () => (answers.length > 1 ? answers.shift() : answers[0])?.(response))
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo // It listens on a port.
  settings = {
    endpoint: `http://127.0.0.1:${port}`,
    region: 'us-east-1',
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
  }
})
afterEach(async () => {
  await new Promise(resolve => {
    server.close(resolve)
    server.closeAllConnections()
  })
})

const reply =
  (status: number, body: string): Answer =>
  response =>
    response.writeHead(status, { 'content-type': 'application/x-amz-json-1.0' }).end(body)
const refusal = (status: number, type: string): Answer =>
  reply(status, JSON.stringify({ __type: `com.amazonaws.dynamodb.v20120810#${type}`, message: 'why' }))
const cut: Answer = response => response.destroy()
const halfBody: Answer = response => {
  response.writeHead(200, { 'content-length': '100' })
  response.write('{"Item":')
  response.destroy()
}

const states = (): JsonRequest =>
  createJsonRequest(
    { name: 'states', target: 'AWSStepFunctions', jsonVersion: '1.0', endpointName: 'SFN' },
    settings,
  )

describe('a signed request', () => {
  it.each([
    ['throttling with a 400', refusal(400, 'ProvisionedThroughputExceededException')],
    ['a 503 without a body', reply(503, '')],
    ['a cut connection', cut],
    ['half a body', halfBody],
  ])('is sent again after %s', async (_, passing) => {
    answers = [passing, passing, reply(200, '{"found":1}')]
    expect(await states()('Any', {})).toEqual({ found: 1 })
    expect(requests).toBe(3)
  })

  it.each([
    ['throttling', refusal(400, 'ThrottlingException'), { name: 'ThrottlingException' }],
    ['a 500', reply(500, 'oops'), { $metadata: { httpStatusCode: 500 } }],
    ['a cut connection', cut, { code: 'ECONNRESET' }],
    ['half a body', halfBody, { code: 'ECONNRESET' }],
  ])(
    'that meets %s three times fails for now, so that Step Functions tries later',
    async (_, answer, seen) => {
      answers = [answer]
      const error: unknown = await states()('Any', {}).catch((error: unknown) => error)
      expect(error).toMatchObject(seen)
      expect(asTransient(error)).toBeInstanceOf(TransientError)
      expect(requests).toBe(3)
    },
  )

  it('that nobody can answer fails for now', async () => {
    await new Promise(resolve => server.close(resolve))
    const error: unknown = await states()('Any', {}).catch((error: unknown) => error)
    expect(asTransient(error)).toBeInstanceOf(TransientError)
  })

  it('that is refused is not sent again, and the error has the name of the service', async () => {
    answers = [refusal(400, 'ValidationException')]
    const error: unknown = await states()('Any', {}).catch((error: unknown) => error)
    expect(error).toMatchObject({
      name: 'ValidationException',
      message: 'why',
      $metadata: { httpStatusCode: 400 },
    })
    expect(asTransient(error)).toBe(error)
    expect(requests).toBe(1)
  })

  it('whose reply is no JSON is no success', async () => {
    answers = [reply(200, '<html>')]
    await expect(states()('Any', {})).rejects.toThrow('states Any answered 200')
  })
})

describe('credentials', () => {
  const names = ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'AWS_SESSION_TOKEN', 'AWS_REGION']
  const endpointName = 'AWS_ENDPOINT_URL_KMS'
  const before = Object.fromEntries([...names, endpointName].map(name => [name, process.env[name]]))
  afterEach(() => {
    for (const [name, value] of Object.entries(before)) {
      if (value === undefined) Reflect.deleteProperty(process.env, name)
      else process.env[name] = value
    }
  })

  it('are those that the environment has at the time of a request, and the service accepts their signature', async () => {
    const seen: unknown[] = []
    const keys = new Map(
      ['FIRST', 'SECOND'].map(id => [
        id,
        { secretAccessKey: `secret of ${id}`, sessionToken: `token/${id}+=` },
      ]),
    )
    const authenticate = authenticator(id => keys.get(id))
    const service = createServer((request, response) => {
      const chunks: Buffer[] = []
      request.on('data', (chunk: Buffer) => chunks.push(chunk))
      request.on('end', () => {
        authenticate(request, Buffer.concat(chunks), 'kms')
        seen.push(/Credential=(\w+)/.exec(request.headers.authorization ?? '')?.[1])
        response.end('{}')
      })
    })
    await new Promise<void>(resolve => service.listen(0, '127.0.0.1', resolve))
    try {
      const { port } = service.address() as AddressInfo // It listens on a port.
      const values = { AWS_REGION: 'us-east-1', [endpointName]: `http://127.0.0.1:${port}` }
      const request = createKmsRequest()
      for (const [AWS_ACCESS_KEY_ID, { secretAccessKey, sessionToken }] of keys) {
        const credentials = { AWS_SECRET_ACCESS_KEY: secretAccessKey, AWS_SESSION_TOKEN: sessionToken }
        Object.assign(process.env, { ...values, AWS_ACCESS_KEY_ID, ...credentials })
        await request('Encrypt', { KeyId: 'São Paulo' })
      }
      expect(seen).toEqual([...keys.keys()])
    } finally {
      service.close()
      service.closeAllConnections()
    }
  })
})

it('a service that says nothing is left after a while', async () => {
  answers = [() => {}]
  const url = new URL(settings.endpoint)
  const error: unknown = await postJson({ url, headers: {}, body: '{}', timeoutMs: 20 }).catch(
    (error: unknown) => error,
  )
  expect(error).toMatchObject({ code: 'ETIMEDOUT' })
  expect(asTransient(error)).toBeInstanceOf(TransientError)
})

describe('an execution', () => {
  it.each([
    ['RUNNING', true],
    ['PENDING_REDRIVE', true],
    ['SUCCEEDED', false],
    ['FAILED', false],
    ['TIMED_OUT', false],
    ['ABORTED', false],
  ])('that is %s is running: %s', async (status, isRunning) => {
    answers = [reply(200, JSON.stringify({ status }))]
    expect(await createIsExecutionRunning(states())('arn')).toBe(isRunning)
  })

  it('that Step Functions has forgotten is not running', async () => {
    answers = [refusal(400, 'ExecutionDoesNotExist')]
    expect(await createIsExecutionRunning(states())('arn')).toBe(false)
  })
})
