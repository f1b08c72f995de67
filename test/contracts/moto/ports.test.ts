import { CreateKeyCommand, KMSClient } from '@aws-sdk/client-kms'
import {
  CreateSecretCommand,
  PutSecretValueCommand,
  SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager'
import { CreateStateMachineCommand, SFNClient } from '@aws-sdk/client-sfn'
import { expect, it, vi } from 'vitest'
import type { Keys } from '#lib/cloud/keys.ts'
import { decrypt } from '#lib/cloud/kms-open.ts'
import { dataKey, encrypt } from '#lib/cloud/kms-seal.ts'
import type { Machines } from '#lib/cloud/machines.ts'
import type { ReadSecret } from '#lib/cloud/secrets.ts'
import { readFromSecretsManager } from '#lib/cloud/secrets-manager.ts'
import {
  describeExecution,
  listExecutions,
  startExecution,
  stepFunctions,
  stopExecution,
} from '#lib/cloud/step-functions.ts'
import { ExecutionStore } from '#local/machines/execution-store.ts'
import { Executions } from '#local/machines/executions.ts'
import { machinesOf } from '#local/machines/machines-of.ts'
import { tokenSecretArn } from '#local/runtime/names.ts'
import { openSecrets } from '#local/runtime/secrets.ts'
import { startKeyService } from '#support/key-service.ts'
import { otherImplementation } from '#support/other-implementation.ts'
import { folderUntilEnd, untilEnd } from '#support/until-end.ts'

/*
 * What functions ask for beside objects and items, of both adapters of each port: those of one machine, and those of the SDK, which
 * `npm run contracts` points to moto.
 */

interface Ports {
  readonly keys: Keys
  readonly keyArns: readonly string[]
  readonly readSecret: ReadSecret
  /** Undefined on one machine: a start with another secret replaces it there. */
  readonly putSecret?: (text: string) => Promise<unknown>
  readonly secretArn: string
  readonly machines: Machines
  readonly machineArn: string
}

const waits = { StartAt: 'Wait', States: { Wait: { Type: 'Wait', Seconds: 60, End: true } } }
const FIRST = '{"secret":"first"}'

const openOurs = async (): Promise<Ports> => {
  const { keys, arns } = await untilEnd(startKeyService(['a', 'b']))
  const folder = folderUntilEnd()
  const secrets = await openSecrets(`${folder}/s`, { projectId: '1' })
  const machineArn = 'arn:aws:states:us-east-1:000000000000:stateMachine:waits'
  const never = () => new Promise<never>(() => {})
  const bounds = { partsAtOnce: 1, isLong: false, longestSeconds: 60 }
  const executions = new Executions({
    store: await ExecutionStore.open(`${folder}/e`),
    machines: [{ arn: machineArn, name: 'waits', step: never, poll: never, ...bounds }],
    log: () => {},
  })
  await untilEnd({ close: async () => executions.close() })
  return {
    keys,
    keyArns: arns,
    readSecret: secrets.read,
    secretArn: tokenSecretArn,
    machines: machinesOf(executions),
    machineArn,
  }
}

const openThose = async (settings: object, endpoint: string): Promise<Ports> => {
  vi.stubEnv('AWS_ENDPOINT_URL', endpoint)
  vi.stubEnv('AWS_REGION', 'us-east-1')
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'test')
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'test-secret')
  const kms = await untilEnd(new KMSClient(settings))
  const key = async () => (await kms.send(new CreateKeyCommand({}))).KeyMetadata?.Arn ?? ''
  const manager = await untilEnd(new SecretsManagerClient(settings))
  const created = await manager.send(new CreateSecretCommand({ Name: 'token', SecretString: FIRST }))
  const secretArn = created.ARN ?? ''
  const sfn = await untilEnd(new SFNClient(settings))
  const made = await sfn.send(
    new CreateStateMachineCommand({
      name: 'waits',
      definition: JSON.stringify(waits),
      roleArn: 'arn:aws:iam::123456789012:role/waits',
    }),
  )
  const operations = {
    start: startExecution,
    describe: describeExecution,
    stop: stopExecution,
    list: listExecutions,
  }
  return {
    keys: { encrypt, dataKey, decrypt },
    keyArns: [await key(), await key()],
    readSecret: readFromSecretsManager,
    putSecret: text => manager.send(new PutSecretValueCommand({ SecretId: secretArn, SecretString: text })),
    secretArn,
    machines: stepFunctions(operations, settings),
    machineArn: made.stateMachineArn ?? '',
  }
}

const other = otherImplementation('MILLRACE_TEST_AWS')
const ports = other ? await openThose(other.settings, other.settings.endpoint) : await openOurs()

it('a text opens in its context, and in no other', async () => {
  const { keys, keyArns } = ports
  const [first = ''] = keyArns
  const sealed = await keys.encrypt(first, Buffer.from('plain'), { a: '1', b: '2' })
  expect(Buffer.from((await keys.decrypt(first, sealed, { b: '2', a: '1' })) ?? []).toString()).toBe('plain')
  expect(await keys.decrypt(first, sealed, { a: '1' })).toBeUndefined()
  expect(
    await keys.decrypt(first, Buffer.from(sealed).fill(0, sealed.length - 8), { a: '1', b: '2' }),
  ).toBeUndefined()
  await expect(keys.encrypt(first, Buffer.alloc(4_097), {})).rejects.toMatchObject({
    name: 'ValidationException',
  })
})

it('a text opens under no other key', async () => {
  const { keys, keyArns } = ports
  const [first = '', second = ''] = keyArns
  const sealed = await keys.encrypt(first, Buffer.from('plain'), {})
  expect(await keys.decrypt(second, sealed, {})).toBeUndefined()
})

it('a data key has 256 bits, and opens like a text', async () => {
  const { keys, keyArns } = ports
  const [arn = ''] = keyArns
  const { plaintext, ciphertext } = await keys.dataKey(arn, { a: '1' })
  expect(plaintext).toHaveLength(32)
  expect(Buffer.from((await keys.decrypt(arn, ciphertext, { a: '1' })) ?? [])).toEqual(Buffer.from(plaintext))
})

it('a secret has a version before its present one when it was replaced', async () => {
  const { readSecret, putSecret, secretArn } = ports
  const first = await readSecret(secretArn, 'AWSCURRENT')
  expect(JSON.parse(first?.text ?? '')).toMatchObject({ secret: expect.any(String) })
  expect(await readSecret(secretArn, 'AWSPREVIOUS')).toBeUndefined()
  if (!putSecret) return
  await putSecret('{"secret":"second"}')
  expect(await readSecret(secretArn, 'AWSCURRENT')).toMatchObject({ text: '{"secret":"second"}' })
  expect(await readSecret(secretArn, 'AWSPREVIOUS')).toMatchObject({ text: first?.text })
})

it('an execution is started once by its name, is described, listed and stopped', async () => {
  const { machines, machineArn } = ports
  const execution = { machineArn, name: 'run-1' }
  expect(await machines.describe(execution)).toBeUndefined()
  await machines.stop(execution, { code: 'c', message: 'not there' })
  expect(await machines.start({ ...execution, input: { a: 1 } })).toBe(true)
  expect(await machines.start({ ...execution, input: { a: 2 } })).toBe(false)
  expect(await machines.describe(execution)).toMatchObject({
    status: 'RUNNING',
    input: '{"a":1}',
    startDate: expect.any(Date),
  })
  await machines.stop(execution, { code: 'storage.jobs.cancelled', message: 'by hand' })
  expect(await machines.describe(execution)).toMatchObject({
    status: 'ABORTED',
    stopDate: expect.any(Date),
  })
  const { executions, next } = await machines.list(machineArn)
  expect([executions.length, next]).toEqual([1, undefined])
  expect(executions[0]?.startDate).toBeInstanceOf(Date)
})

it('an execution that was stopped keeps the reason', async () => {
  const { machines, machineArn } = ports
  const execution = { machineArn, name: 'run-2' }
  await machines.start({ ...execution, input: {} })
  await machines.stop(execution, { code: 'storage.jobs.cancelled', message: 'by hand' })
  expect(await machines.describe(execution)).toMatchObject({
    error: 'storage.jobs.cancelled',
    cause: 'by hand',
  })
})

it('a machine that is not there starts nothing', async () => {
  const machineArn = `${ports.machineArn}-no`
  await expect(ports.machines.start({ machineArn, name: 'a', input: {} })).rejects.toMatchObject({
    name: 'StateMachineDoesNotExist',
  })
})
