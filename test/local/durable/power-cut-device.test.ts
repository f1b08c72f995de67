import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { join } from 'node:path'
import { GetObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3'
import { expect, it } from 'vitest'
import { controlOf } from '#local/runtime/control.ts'
import { startEmbeddedCloud } from '#local/runtime/embedded-cloud.ts'
import { findRunningCloud } from '#local/runtime/running-cloud.ts'
import { folderUntilEnd } from '#support/until-end.ts'
import { copyDisk, makeDisk, mountDisk, whyNoMount } from '../../support/block-device.ts'
import { eventually } from '../../support/eventually.ts'
import { writeFlowBundles } from '../runtime/flow-bundles.ts'

const folder = folderUntilEnd()
const reason = whyNoMount(join(folder, 'probe'))
if (reason !== undefined) console.warn(`Power cuts on a real file system are skipped: ${reason}`)

type Endpoints = Record<'region' | 'accessKeyId' | 'secretAccessKey' | 'api' | 's3' | 'control', string>

const clients = (endpoints: Endpoints) => {
  const { region, accessKeyId, secretAccessKey, s3 } = endpoints
  const common = { region, credentials: { accessKeyId, secretAccessKey }, maxAttempts: 1 }
  return {
    s3: new S3Client({ ...common, endpoint: s3, forcePathStyle: true }),
    machines: controlOf(endpoints).machines,
  }
}

/** An item of the fixture's API, written first when a text is given. */
const callItem = async ({ api }: Endpoints, index: number, body?: string) => {
  const response = await fetch(`${api}/items/${index}`, body === undefined ? {} : { method: 'POST', body })
  if (!response.ok) throw new Error(`The API answered ${response.status}`)
  return (await response.json()) as { text?: string }
}

/** Resources of the fixture stack, as its outputs name them. */
type Outputs = Readonly<Record<string, string>>

/** Writes of three kinds, one after the other of each kind, until the cloud stops answering. */
const writeUntilStopped = (endpoints: Endpoints, outputs: Outputs) => {
  const { s3, machines } = clients(endpoints)
  const acknowledged = { objects: 0, items: 0, executions: [] as string[] }
  const repeat = async (work: (index: number) => Promise<void>): Promise<void> => {
    try {
      for (let index = 0; ; index++) await work(index)
    } catch {
      // The power was cut.
    }
  }
  const { ImportMachineArn: machineArn = '' } = outputs
  const writers = [
    repeat(async index => {
      await s3.send(
        new PutObjectCommand({
          Bucket: 'millrace-storage-files',
          Key: String(index),
          Body: `object ${index}`,
        }),
      )
      acknowledged.objects = index + 1
    }),
    repeat(async index => {
      await callItem(endpoints, index, `item ${index}`)
      acknowledged.items = index + 1
    }),
    repeat(async () => {
      const name = randomUUID()
      await machines.start({ machineArn, name, input: { do: 'wait', ms: 1 } })
      acknowledged.executions.push(name)
    }),
  ]
  return { acknowledged, ended: Promise.all(writers) }
}

/** The numbers of what is missing, by kind. */
const findLosses = async (
  cloud: Endpoints & { describeOutputs: () => Outputs },
  known: ReturnType<typeof writeUntilStopped>['acknowledged'],
) => {
  const { s3, machines } = clients(cloud)
  const { ImportMachineArn: machineArn = '' } = cloud.describeOutputs()
  const missing = async (count: number, isThere: (index: number) => Promise<boolean>): Promise<number[]> => {
    const lost: number[] = []
    for (let index = 0; index < count; index++)
      if (!(await isThere(index).catch(() => false))) lost.push(index)
    return lost
  }
  return {
    objects: await missing(known.objects, async index => {
      const { Body } = await s3.send(
        new GetObjectCommand({ Bucket: 'millrace-storage-files', Key: String(index) }),
      )
      return (await Body?.transformToString()) === `object ${index}`
    }),
    items: await missing(known.items, async index => {
      return (await callItem(cloud, index)).text === `item ${index}`
    }),
    executions: await missing(known.executions.length, async index => {
      const [name = ''] = known.executions.slice(index)
      return (await machines.describe({ machineArn, name })) !== undefined
    }),
  }
}

it.skipIf(reason !== undefined).each([20, 60])(
  'the whole cloud on an ext4 whose power is cut after %i writes of each kind loses nothing that was acknowledged',
  async writes => {
    const at = join(folder, `cut-${writes}`)
    const bundles = await writeFlowBundles(`${at}-assembly`)
    makeDisk(`${at}.disk`, 128 * 1024 * 1024)
    await using mounts = new AsyncDisposableStack()
    const before = mountDisk(`${at}-before`, `${at}.disk`)
    mounts.defer(before.unmount)
    const dataDir = join(before.path, 'data')
    const child = spawn(
      process.execPath,
      [join(import.meta.dirname, '../../support/run-cloud.ts'), dataDir, '{}', bundles],
      { stdio: ['ignore', 'pipe', 'inherit'], env: { ...process.env, MILLRACE_DURABILITY: 'full' } },
    )
    let known: ReturnType<typeof writeUntilStopped>['acknowledged']
    try {
      await once(child.stdout, 'data')
      const running = await findRunningCloud(dataDir)
      if (!running) throw new Error('the cloud has not announced itself')
      const { acknowledged, ended } = writeUntilStopped(running, running.outputs)
      const least = () => Math.min(acknowledged.objects, acknowledged.items, acknowledged.executions.length)
      await eventually(() => expect(least()).toBeGreaterThanOrEqual(writes))
      known = structuredClone(acknowledged)
      child.kill('SIGSTOP')
      copyDisk(`${at}.disk`, `${at}-cut.disk`)
      child.kill('SIGKILL')
      await ended
    } finally {
      child.kill('SIGKILL')
    }

    const after = mountDisk(`${at}-after`, `${at}-cut.disk`)
    mounts.defer(after.unmount)
    const cloud = await startEmbeddedCloud({ dataDir: join(after.path, 'data'), bundles })
    mounts.defer(cloud.close)
    expect(await findLosses(cloud, known)).toEqual({ objects: [], items: [], executions: [] })
  },
)
