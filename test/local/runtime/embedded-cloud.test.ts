import { mkdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { serialize } from 'node:v8'
import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { controlOf } from '#local/runtime/control.ts'
import { type EmbeddedCloud, startEmbeddedCloud } from '#local/runtime/embedded-cloud.ts'
import { type RightsOf, rightsOn } from '#local/runtime/rights.ts'
import { findRunningCloud } from '#local/runtime/running-cloud.ts'
import { hostWithin } from '#support/within-rights.ts'
import { send } from '../s3/raw-client.ts'
import { writeFlowBundles } from './flow-bundles.ts'
import { temporaryFolder } from './temporary-folder.ts'

const folder = temporaryFolder()
const dataDir = join(folder.path, 'data')
let cloud: EmbeddedCloud
let outputs: Readonly<Record<string, string>>

const bundles: string = await writeFlowBundles(join(folder.path, 'assembly'))
/** The hook may read what has landed, write its count, and read the token. */
const rightsOf: RightsOf = name =>
  name === 'start-import'
    ? {
        Version: '2012-10-17',
        Statement: [
          { Effect: 'Allow', Action: 's3:GetObject', Resource: 'arn:aws:s3:::millrace-import-landing/*' },
          {
            Effect: 'Allow',
            Action: ['dynamodb:PutItem', 'dynamodb:GetItem', 'secretsmanager:GetSecretValue'],
            Resource: '*',
          },
        ],
      }
    : rightsOn({ exportBuckets: [] })(name)

beforeAll(async () => {
  cloud = await startEmbeddedCloud({ dataDir, bundles, rightsOf, hostFor: hostWithin(rightsOf) })
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
const machineArn = () => outputs['ImportMachineArn'] ?? ''

const put = (Key: string, Body: string) =>
  new S3Client({ ...client(), endpoint: cloud.s3 }).send(
    new PutObjectCommand({ Bucket: cloud.landingBucket, Key, Body }),
  )
const countOf = async (pk: string) =>
  (await cloud.items(outputs['ItemTable'] ?? '').get({ pk, sk: 'item' }))?.['characters']
const invoke = (event: object) => cloud.execute('import', event)
const failedEnd = async (of: EmbeddedCloud) =>
  (await of.items(outputs['ItemTable'] ?? '').get({ pk: 'end', sk: 'item' }))?.['end']

describe('an object in the landing bucket', () => {
  it('starts the machine, whose function reads it and writes an item', async () => {
    await put('a.txt', 'seven..')
    await expect.poll(() => countOf('a.txt')).toBe(7)
  })

  it('tells the end when the function fails', async () => {
    await put('bad.txt', 'poison')
    await expect
      .poll(async () => failedEnd(cloud))
      .toMatchObject({
        status: 'FAILED',
        error: 'UserError',
        cause: '{"errorMessage":"cannot be counted","details":{}}',
      })
  })
})

describe('rights', () => {
  it.each([
    ['an object of another bucket', { do: 'readOther', bucket: 'millrace-storage-files' }, 'AccessDenied'],
    ['an action on a table that its role lacks', { do: 'deleteItem' }, 'AccessDeniedException'],
  ])('refuses a function %s', async (_case, event, error) => {
    expect(await invoke(event)).toMatchObject({ status: 'FAILED', error })
  })

  it('lets a function read the secret that its role names', async () => {
    const ended = await invoke({ do: 'secret' })
    expect(JSON.parse(JSON.parse('output' in ended ? ended.output : ''))).toMatchObject({
      projectId: '1',
      secret: expect.stringMatching(/^[A-Za-z0-9]{40}$/),
    })
  })

  it('refuses a command that has another key', async () => {
    const wrong = controlOf({ control: cloud.control, secretAccessKey: 'wrong' })
    await expect(wrong.machines.list(machineArn())).rejects.toMatchObject({ name: 'AccessDenied' })
    await expect(wrong.readSecret('any', 'AWSCURRENT')).rejects.toMatchObject({ name: 'AccessDenied' })
  })
})

describe('services', () => {
  it('give each function the address of the API', async () => {
    expect(await invoke({ do: 'apiUrl' })).toMatchObject({ output: JSON.stringify(cloud.api) })
  })

  it('give the master token in the form that clients send', async () => {
    expect(cloud.token).toMatch(/^1-1-[A-Za-z0-9]{40}$/)
    const current = await controlOf(cloud).readSecret(outputs['StorageTokenSecret'] ?? '', 'AWSCURRENT')
    expect(cloud.token).toContain(JSON.parse(current?.text ?? '').secret)
  })

  it('report errors by the names of the service', async () => {
    const { machines } = controlOf(cloud)
    const execution = { machineArn: 'arn:aws:states:x:1:stateMachine:no', name: 'a' }
    await expect(machines.start({ ...execution, input: {} })).rejects.toMatchObject({
      name: 'StateMachineDoesNotExist',
    })
    expect(await machines.describe(execution)).toBeUndefined()
    await machines.stop(execution, { code: 'c', message: 'm' })
    await expect(machines.list(execution.machineArn)).rejects.toMatchObject({
      name: 'StateMachineDoesNotExist',
    })
  })

  it('refuse a request of a command that says something else', async () => {
    const headers = { authorization: `Bearer ${cloud.secretAccessKey}` }
    const asked = [Buffer.from('{'), serialize({}), serialize(['constructor']), serialize(['keys.decrypt'])]
    for (const body of asked) {
      const reply = await fetch(cloud.control, { method: 'POST', headers, body })
      expect([body.toString(), reply.status]).toEqual([body.toString(), 400])
    }
  })
})

describe('the HTTP API', () => {
  it('serves the bundle in the function’s environment', async () => {
    const response = await fetch(`${cloud.api}/v2/x`)
    expect(await response.json()).toEqual({ path: '/v2/x', table: outputs['ItemTable'] })
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
    await expect(startEmbeddedCloud({ dataDir, bundles })).rejects.toThrow(`in use by process ${process.pid}`)
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
    await mkdir(stale)
    // Another process has the process id now.
    await writeFile(join(stale, 'endpoints.json'), JSON.stringify({ ...announced, pid: process.ppid }))
    expect(await findRunningCloud(stale)).toBeUndefined()
  })

  it('keeps keys, token, items and objects for the next start', async () => {
    const before = { token: cloud.token, accessKeyId: cloud.accessKeyId }
    await cloud.close()
    expect(await findRunningCloud(dataDir)).toBeUndefined()
    cloud = await startEmbeddedCloud({ dataDir, bundles })
    outputs = cloud.describeOutputs()
    expect({ token: cloud.token, accessKeyId: cloud.accessKeyId }).toEqual(before)
    expect(await countOf('a.txt')).toBe(7)
  })
})
