import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3'
import { type EmbeddedCloud, startEmbeddedCloud } from '../runtime/embedded-cloud.ts'
import { extractionAct, startShopApi } from './extraction.ts'
import { type Service, serviceOf } from './service.ts'

/** Drop a file, get a table: on the embedded cloud, as a user sees it. */
const TABLE_ID = 'in.c-shop.orders'
const KEY = 'in.c-shop/orders.csv'
const COLUMNS = 'order_id,customer,total_eur,status,note'

/** An order that the second file changes: its status, and a note with a line break. */
const CHANGED_ORDER = { whereColumn: 'order_id', 'whereValues[]': '101273' }

const say = (text = ''): void => {
  process.stdout.write(`${text}\n`)
}

/** Waits until the newest execution of the import machine, of which there are so many, has succeeded. */
const imported = async ({ host, describeOutputs }: EmbeddedCloud, count: number): Promise<void> => {
  const { machines } = host
  const deadline = Date.now() + 60_000
  while (Date.now() < deadline) {
    const { executions } = await machines.list(describeOutputs()['ImportMachineArn'] ?? '')
    const [newest] = executions
    const found = newest && executions.length === count && (await machines.describe(newest))
    if (found && found.status === 'SUCCEEDED') return
    if (found && found.status !== 'RUNNING')
      throw new Error(`The import ended as ${found.status}: ${found.error}: ${found.cause}`)
    await sleep(50)
  }
  throw new Error('The import has not ended within a minute')
}

const landingAct = async (cloud: EmbeddedCloud, service: Service): Promise<void> => {
  const { s3: endpoint, region, accessKeyId, secretAccessKey, landingBucket: Bucket } = cloud
  const s3 = new S3Client({
    endpoint,
    region,
    credentials: { accessKeyId, secretAccessKey },
    forcePathStyle: true,
  })
  let dropped = 0
  const drop = async (file: string, Metadata: Record<string, string>): Promise<void> => {
    const Body = await readFile(new URL(`data/${file}`, import.meta.url))
    const settings = Object.entries(Metadata).map(([name, value]) => `${name}=${value}`)
    say(`\n> ${file} (${Math.round(Body.length / 1024)} KiB; ${settings.join(', ')})`)
    say(`  -> s3://${Bucket}/${KEY}`)
    const startedAt = performance.now()
    await s3.send(new PutObjectCommand({ Bucket, Key: KEY, Body, Metadata }))
    await imported(cloud, ++dropped)
    say(`  imported after ${((performance.now() - startedAt) / 1000).toFixed(1)} s`)
    say(await service.counts(TABLE_ID))
  }

  say('1. A CSV file with quotes, line breaks in cells and umlauts is put into the landing bucket.')
  await drop('orders.csv', { 'primary-key': 'order_id' })
  say(await service.rows(TABLE_ID, { columns: COLUMNS }))

  say('\n2. A second file adds new orders and changes some, among them this one:')
  say(await service.rows(TABLE_ID, { columns: COLUMNS, ...CHANGED_ORDER }))
  await drop('orders-update.csv', { incremental: '1' })
  say(await service.rows(TABLE_ID, { columns: COLUMNS, ...CHANGED_ORDER }))
  s3.destroy()
}

say('Starting the whole stack on this machine, in a temporary folder …')
const startedAt = performance.now()
const dataDir = await mkdtemp(join(tmpdir(), 'millrace-demo-'))
try {
  const cloud = await startEmbeddedCloud({ dataDir })
  say(`Ready after ${((performance.now() - startedAt) / 1000).toFixed(1)} s.\n`)
  try {
    const service = serviceOf(cloud)
    await landingAct(cloud, service)
    const shop = await startShopApi()
    try {
      await extractionAct(service, shop, say)
    } finally {
      await shop.close()
    }
  } finally {
    await cloud.close()
  }
  say(`
Those were the functions and machines that "npm run deploy" deploys.
  npm start              keeps it running: S3 on port 9000, the storage API on port 8080
  docs/landing.md        which key becomes which table
  docs/extraction.md     configurations, rows, schedules
  docs/architecture.md   what ran just now, step by step`)
} finally {
  await rm(dataDir, { recursive: true, force: true })
}
