import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { promisify } from 'node:util'
import { PutObjectCommand } from '@aws-sdk/client-s3'
import { eventually, Skipped, type Step } from './run-steps.ts'
import { expectSame, type Smoke } from './smoke-context.ts'

interface Letter {
  id: string
  input: unknown
}

/** An alarm is quiet again a quarter of an hour after the last letter; CloudWatch needs some minutes more to say so. */
const ALARM_SECONDS = 2400

type AlarmState = 'ALARM' | 'OK'

/** The states that the alarm of failed imports has come to since then, the oldest first. */
const statesOfAlarm = async (stack: string, since: Date): Promise<AlarmState[]> => {
  const asked = [
    'cloudwatch',
    'describe-alarm-history',
    '--history-item-type',
    'StateUpdate',
    '--output',
    'json',
  ]
  const { stdout } = await promisify(execFile)('aws', [...asked, '--start-date', since.toISOString()])
  const { AlarmHistoryItems: items }: { AlarmHistoryItems: { AlarmName: string; HistoryData: string }[] } =
    JSON.parse(stdout)
  return items
    .filter(({ AlarmName }) => AlarmName.startsWith(`${stack}-TickFailedimport`))
    .map(({ HistoryData }): AlarmState => JSON.parse(HistoryData).newState.stateValue)
    .reverse()
}

/** Lands a file that lacks a column of its table, which is loaded by key, and waits for its dead letter. */
const failOnce = async (smoke: Smoke, key: string): Promise<Letter> => {
  const { outputs, s3Client } = smoke.account()
  const object = {
    Bucket: outputs['LandingBucket'],
    Key: key,
    Body: 'id\n7\n',
    Metadata: { incremental: '1' },
  }
  await s3Client.send(new PutObjectCommand(object))
  return eventually(`The dead letter of ${key}`, 600, async () => {
    const letters: Letter[] = await smoke.api('GET', 'dead-letters?machine=import')
    return letters.find(({ input }) => JSON.stringify(input).includes(key))
  })
}

export const failureSteps: Readonly<Record<string, Step<Smoke>>> = {
  async 'hear the alarm twice'(smoke) {
    const { stack } = smoke.account()
    const dataFileId = await smoke.service.upload('id,city\n1,Oslo\n')
    await smoke.job('POST', `buckets/${smoke.bucketId}/tables-async`, {
      name: 'wide',
      primaryKey: 'id',
      dataFileId,
    })
    const since = new Date()
    /** Waits until the alarm has come to so many states, one after the other. */
    const heard = async (...wanted: AlarmState[]): Promise<void> => {
      if (stack === undefined) return
      await eventually(`${wanted.join(', then ')} of the alarm`, ALARM_SECONDS, async () =>
        (await statesOfAlarm(stack, since)).join().startsWith(wanted.join()) ? true : undefined,
      )
    }
    const first = await failOnce(smoke, `${smoke.bucketId}/wide/a.csv`)
    await heard('ALARM')
    await smoke.millrace('letters', 'delete', first.id)
    await heard('ALARM', 'OK')
    const second = await failOnce(smoke, `${smoke.bucketId}/wide/b.csv`)
    await heard('ALARM', 'OK', 'ALARM')
    const alarm = stack === undefined ? 'on one machine nobody measures alarms' : 'each set off the alarm'
    return `${first.id} and ${second.id} are the dead letters of two files that lack a column; ${alarm}`
  },

  async 'redrive what failed'(smoke) {
    smoke.account()
    const table = `${smoke.bucketId}.wide`
    const letters: Letter[] = await smoke.api('GET', 'dead-letters?machine=import')
    const letter = letters.find(({ input }) => JSON.stringify(input).includes(`${smoke.bucketId}/wide/b.csv`))
    if (!letter) throw new Error('There is no dead letter of the step before')
    await smoke.job('DELETE', `tables/${table}/columns/city?force=1`)
    await smoke.millrace('letters', 'redrive', letter.id)
    await eventually('The redriven import', 600, async () =>
      (await smoke.rowsOf(table)).length === 2 ? true : undefined,
    )
    expectSame('The table', await smoke.rowsOf(table), [['1'], ['7']])
    return 'the column that the file lacked was dropped, and the import went through'
  },

  async 'rotate the master token'(smoke) {
    const { outputs, control } = smoke.account()
    if (control) throw new Skipped('on one machine it is what MILLRACE_TOKEN says at the start.')
    const { StorageTokenSecret: secretArn } = outputs
    if (!secretArn) throw new Error('The stack names no secret of its token')
    const old = smoke.installation.token
    const { readStorageToken } = await import('#lib/storage-client/storage-token.ts')
    const { readSecret } = await import('#lib/cloud/read-secret.ts')
    const before = await readSecret(secretArn, 'AWSCURRENT')
    const secret = randomBytes(20).toString('hex')
    const text = JSON.stringify({ ...JSON.parse(before?.text ?? '{}'), secret })
    await putInAccount(secretArn, text)
    smoke.installation.token = readStorageToken(text)
    expectSame('Whether the token is another one', smoke.installation.token === old, false)
    const verified = async (token: string) =>
      (await smoke.service.call('GET', 'tokens/verify', undefined, { 'x-storageapi-token': token })).status
    expectSame(
      'What the new and the old token are answered',
      [await verified(smoke.installation.token), await verified(old)],
      [200, 200],
    )
    const dataFileId = await smoke.service.upload('id\n1\n')
    await smoke.job('POST', `buckets/${smoke.bucketId}/tables-async`, { name: 'rotated', dataFileId })
    return 'the new one works at once, the old one too for its overlap, and a load goes through'
  },
}

const putInAccount = async (SecretId: string, SecretString: string): Promise<void> => {
  const { PutSecretValueCommand, SecretsManagerClient } = await import('@aws-sdk/client-secrets-manager')
  const client = new SecretsManagerClient({})
  try {
    await client.send(new PutSecretValueCommand({ SecretId, SecretString }))
  } finally {
    client.destroy()
  }
}
