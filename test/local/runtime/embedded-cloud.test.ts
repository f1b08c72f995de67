import { readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3'
import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager'
import { ListExecutionsCommand, SFNClient, StartExecutionCommand } from '@aws-sdk/client-sfn'
import {
  DeleteMessageCommand,
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type EmbeddedCloud, startEmbeddedCloud } from '#local/runtime/embedded-cloud.ts'
import { findRunningCloud } from '#local/runtime/running-cloud.ts'
import { poll } from '../../support/poll.ts'
import { type SigningOptions, send, sendSigned } from '../s3/raw-client.ts'
import { writeAssembly } from './fixture-assembly.ts'
import { fixtureTemplate } from './fixture-stack.ts'
import { temporaryFolder } from './temporary-folder.ts'

const folder = temporaryFolder()
const dataDir = join(folder.path, 'data')
let cloud: EmbeddedCloud
let outputs: Readonly<Record<string, string>>

const assembly: string = await writeAssembly(join(folder.path, 'assembly'), fixtureTemplate, ['flow'])
beforeAll(async () => {
  cloud = await startEmbeddedCloud({ dataDir, assembly })
  outputs = cloud.describeOutputs()
})

afterAll(async () => {
  await cloud.close()
  await folder.remove()
})

const client = () => ({
  region: cloud.region,
  credentials: { accessKeyId: cloud.accessKeyId, secretAccessKey: cloud.secretAccessKey },
  maxAttempts: 1,
})
const control = () => ({ ...client(), endpoint: cloud.control })

const put = (Key: string, Body: string) =>
  new S3Client({ ...client(), endpoint: cloud.s3 }).send(
    new PutObjectCommand({ Bucket: cloud.landingBucket, Key, Body }),
  )
const countOf = async (pk: string) =>
  (await cloud.items(outputs['CountsTable'] ?? '').get({ pk, sk: 'item' }))?.['characters']
const invoke = (event: object) => cloud.execute('import', event)

describe('an object in the landing bucket', () => {
  it('starts the machine, whose function reads it and writes an item', async () => {
    await put('a.txt', 'seven..')
    await expect.poll(() => countOf('a.txt')).toBe(7)
  })

  it('starts nothing when the rule’s pattern does not match', async () => {
    const sfn = new SFNClient(control())
    const list = () => sfn.send(new ListExecutionsCommand({ stateMachineArn: outputs['ImportMachineArn'] }))
    const before = (await list()).executions?.length
    await put('a.csv', 'x')
    await put('b.txt', 'fits')
    await expect.poll(() => countOf('b.txt')).toBe(4)
    expect((await list()).executions?.length).toBe(Number(before) + 1)
  })

  it('leaves a dead letter when the function fails', async () => {
    const sqs = new SQSClient(control())
    const QueueUrl = outputs['DeadLetters']
    await put('bad.txt', 'poison')
    const receive = new ReceiveMessageCommand({
      QueueUrl,
      WaitTimeSeconds: 15,
      MessageSystemAttributeNames: ['All'],
    })
    const { Messages = [] } = await poll(
      () => sqs.send(receive),
      received => received.Messages !== undefined,
    )
    expect(JSON.parse(Messages[0]?.Body ?? '')).toMatchObject({
      failure: { Error: 'UserError', Cause: expect.stringContaining('cannot be counted') },
    })
    expect(Messages[0]?.Attributes).toMatchObject({ ApproximateReceiveCount: '1' })
    // Hidden until its visibility timeout, removed by the deletion.
    expect((await sqs.send(new ReceiveMessageCommand({ QueueUrl }))).Messages).toBeUndefined()
    await sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle: Messages[0]?.ReceiptHandle }))
    const { Attributes } = await sqs.send(
      new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['All'] }),
    )
    expect(Attributes).toMatchObject({
      ApproximateNumberOfMessages: '0',
      ApproximateNumberOfMessagesNotVisible: '0',
    })
  })
})

describe('rights', () => {
  it.each([
    ['an object of another bucket', { do: 'readOther', bucket: 'other' }, 'AccessDenied'],
    ['an action on a table that its role lacks', { do: 'deleteItem' }, 'AccessDeniedException'],
  ])('refuses a function %s', async (_case, event, error) => {
    expect(await invoke(event)).toMatchObject({ status: 'FAILED', error })
  })

  it('lets a function read the secret that its role names', async () => {
    const ended = await invoke({ do: 'secret' })
    expect(JSON.parse(JSON.parse('output' in ended ? ended.output : ''))).toMatchObject({
      projectId: '7',
      secret: expect.stringMatching(/^[A-Za-z0-9]{40}$/),
    })
  })

  it.each([
    ['an unknown key', { accessKeyId: 'AKIANOBODY', secretAccessKey: 'x' }, 'UnrecognizedClientException'],
    ['a wrong secret', { secretAccessKey: 'wrong' }, 'InvalidSignatureException'],
  ])('refuses %s at every service', async (_case, wrong, name) => {
    const credentials = { ...client().credentials, ...wrong }
    const start = new SFNClient({ ...control(), credentials }).send(
      new StartExecutionCommand({ stateMachineArn: outputs['ImportMachineArn'] }),
    )
    await expect(start).rejects.toMatchObject({ name })
  })
})

describe('a signature', () => {
  const call = (options: SigningOptions, target: string, body: object, endpoint: string) =>
    sendSigned(
      endpoint,
      {
        method: 'POST',
        path: '/',
        headers: { 'content-type': 'application/x-amz-json-1.0', 'x-amz-target': target },
        body: JSON.stringify(body),
      },
      { credentials: client().credentials, ...options },
    )
  const listMachine = (options: SigningOptions) =>
    call(
      options,
      'AWSStepFunctions.ListExecutions',
      { stateMachineArn: outputs['ImportMachineArn'] },
      cloud.control,
    )
  it.each([
    ['covers the operation of Step Functions', listMachine, { service: 'states' }, 200],
    ['is refused when it does not', listMachine, { service: 'states', unsigned: ['x-amz-target'] }, 403],
    ['is refused when it is for another service', listMachine, { service: 'sqs' }, 403],
  ])('%s', async (_case, request, options, status) => {
    const reply = await request(options)
    expect(reply.status).toBe(status)
    if (status === 403) expect(reply.body).toContain('InvalidSignatureException')
  })
})

describe('services', () => {
  it('give each function the address of the API', async () => {
    expect(await invoke({ do: 'apiUrl' })).toMatchObject({ output: JSON.stringify(cloud.api) })
  })

  it('give the master token in the form that clients send', async () => {
    expect(cloud.token).toMatch(/^7-1-[A-Za-z0-9]{40}$/)
    const { SecretString } = await new SecretsManagerClient(control()).send(
      new GetSecretValueCommand({ SecretId: outputs['StorageTokenSecret'] }),
    )
    expect(cloud.token).toContain(JSON.parse(SecretString ?? '').secret)
  })

  it('report errors by the names of the service', async () => {
    await expect(
      new SFNClient(control()).send(
        new StartExecutionCommand({ stateMachineArn: 'arn:aws:states:x:1:stateMachine:no' }),
      ),
    ).rejects.toMatchObject({ name: 'StateMachineDoesNotExist' })
  })
})

describe('the HTTP API', () => {
  it('serves the bundle in the function’s environment', async () => {
    const response = await fetch(`${cloud.api}/v2/x`)
    expect(await response.json()).toEqual({ path: '/v2/x', table: outputs['CountsTable'] })
  })

  it.each([
    ['takes a foreign Host for its own address', 'evil.example', '/origin', () => cloud.api],
    [
      'takes a foreign Host in the target for its own address',
      'evil.example',
      'http://evil.example/origin',
      () => cloud.api,
    ],
    [
      'keeps a loopback name, also of a forwarded port',
      'localhost:1234',
      '/origin',
      () => 'http://localhost:1234',
    ],
    [
      'takes what only begins like a loopback name for foreign',
      'localhost.evil.example',
      '/origin',
      () => cloud.api,
    ],
  ])('%s', async (_case, host, path, origin) => {
    const reply = await send(cloud.api, { method: 'GET', path, headers: { host } })
    expect(JSON.parse(reply.body)).toBe(origin())
  })

  it('passes bodies both ways', async () => {
    const body = 'ü'.repeat(2_500_000)
    const response = await fetch(`${cloud.api}/echo`, { method: 'POST', body })
    expect((await response.text()).length).toBe(body.length)
  })

  it('restarts on the same port when its thread has died', async () => {
    await fetch(`${cloud.api}/crash`).catch(() => {})
    await expect
      .poll(() =>
        fetch(`${cloud.api}/again`).then(
          response => response.status,
          () => 0,
        ),
      )
      .toBe(200)
  })
})

describe('the data directory', () => {
  it('is held by one process at a time', async () => {
    await expect(startEmbeddedCloud({ dataDir, assembly })).rejects.toThrow(
      `in use by process ${process.pid}`,
    )
  })

  it('shows other processes of its owner the address of the cloud', async () => {
    expect(await findRunningCloud(dataDir)).toMatchObject({
      pid: process.pid,
      control: cloud.control,
      outputs,
    })
    expect((await stat(join(dataDir, 'endpoints.json'))).mode & 0o077).toBe(0)
  })

  it('ignores the address of a process that is gone', async () => {
    const announced = JSON.parse(await readFile(join(dataDir, 'endpoints.json'), 'utf8'))
    const stale = join(folder.path, 'stale')
    await writeAssembly(stale, {})
    // Another process has the process id now.
    await writeFile(join(stale, 'endpoints.json'), JSON.stringify({ ...announced, pid: process.ppid }))
    expect(await findRunningCloud(stale)).toBeUndefined()
  })

  it('keeps keys, token, items and objects for the next start', async () => {
    const before = { token: cloud.token, accessKeyId: cloud.accessKeyId }
    await cloud.close()
    expect(await findRunningCloud(dataDir)).toBeUndefined()
    cloud = await startEmbeddedCloud({ dataDir, assembly })
    outputs = cloud.describeOutputs()
    expect({ token: cloud.token, accessKeyId: cloud.accessKeyId }).toEqual(before)
    expect(await countOf('a.txt')).toBe(7)
  })
})
