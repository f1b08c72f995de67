import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import aws4 from 'aws4'
import { z } from 'zod'
import { createStepFunctionsRequest } from '#lib/aws/is-execution-running.ts'
import { exchange } from '#lib/storage-client/exchange.ts'
import { type CloudFacts, type EmbeddedCloud, startEmbeddedCloud } from '../runtime/embedded-cloud.ts'
import { extractionAct, startShopApi } from './extraction.ts'
import { showCounts, showRows } from './show-table.ts'

/** Drop a file, get a table: on the embedded cloud, as a user sees it. */
const TABLE_ID = 'in.c-shop.orders'
const KEY = 'in.c-shop/orders.csv'
const COLUMNS = 'order_id,customer,total_eur,status,note'

/** An order that the second file changes: its status, and a note with a line break. */
const CHANGED_ORDER = { whereColumn: 'order_id', 'whereValues[]': '101273' }

const say = (text = ''): void => {
  process.stdout.write(`${text}\n`)
}

const demo = async (cloud: EmbeddedCloud): Promise<void> => {
  const imports = followImports(cloud)

  const drop = async (file: string, metadata: Record<string, string>): Promise<void> => {
    const body = await readFile(new URL(`data/${file}`, import.meta.url))
    const settings = Object.entries(metadata).map(([name, value]) => `${name}=${value}`)
    say(`\n> ${file} (${Math.round(body.length / 1024)} KiB; ${settings.join(', ')})`)
    say(`  -> s3://${cloud.landingBucket}/${KEY}`)
    await putObject(cloud, { bucket: cloud.landingBucket ?? '', key: KEY, body, metadata })
    await imports.next()
    say(await showCounts(cloud, TABLE_ID))
  }

  say('1. A CSV file with quotes, line breaks in cells and umlauts is put into the landing bucket.')
  await drop('orders.csv', { 'primary-key': 'order_id' })
  say(await showRows(cloud, TABLE_ID, { columns: COLUMNS }))

  say('\n2. A second file adds new orders and changes some, among them this one:')
  say(await showRows(cloud, TABLE_ID, { columns: COLUMNS, ...CHANGED_ORDER }))
  await drop('orders-update.csv', { incremental: '1' })
  say(await showRows(cloud, TABLE_ID, { columns: COLUMNS, ...CHANGED_ORDER }))
}

say('Starting the whole stack on this machine, in a temporary folder …')
const startedAt = performance.now()
const dataDir = await mkdtemp(join(tmpdir(), 'millrace-demo-'))
try {
  const cloud = await startEmbeddedCloud({ dataDir })
  say(`Ready after ${((performance.now() - startedAt) / 1000).toFixed(1)} s.\n`)
  try {
    await demo(cloud)
    const shop = await startShopApi()
    try {
      await extractionAct(cloud, shop, say)
    } finally {
      await shop.close()
    }
  } finally {
    await cloud.close()
  }
  say(`
That was the same template, state machines and functions that "npm run deploy" deploys.
  npm start              keeps it running: S3 on port 9000, the storage API on port 8080
  docs/landing.md        which key becomes which table
  docs/extraction.md     configurations, rows, schedules
  docs/architecture.md   what ran just now, step by step`)
} finally {
  await rm(dataDir, { recursive: true, force: true })
}

interface DroppedObject {
  bucket: string
  key: string
  body: Buffer
  metadata: Record<string, string>
}

/** What any S3 client does, by one signed request: to load the SDK's client would take longer than the import. */
export const putObject = async (
  { s3, region, accessKeyId, secretAccessKey }: CloudFacts,
  { bucket, key, body, metadata }: DroppedObject,
): Promise<void> => {
  const url = new URL(`${s3}/${bucket}/${key}`)
  const described = Object.entries(metadata).map(([name, value]) => [`X-Amz-Meta-${name}`, value])
  const { headers } = aws4.sign(
    {
      service: 's3',
      region,
      method: 'PUT',
      path: url.pathname,
      headers: { Host: url.host, ...Object.fromEntries(described) },
      body,
    },
    { accessKeyId, secretAccessKey },
  )
  const { status, text } = await exchange({
    url: url.href,
    method: 'PUT',
    headers: headers as Record<string, string>, // Those above, and what the signature adds.
    body,
    timeoutSeconds: 60,
  })
  if (status !== 200) throw new Error(`PUT ${url.pathname} answered ${status}: ${text}`)
}

/** How long after the upload the execution may appear. */
const PATIENCE_SECONDS = 20
/** Looks are twenty milliseconds apart at first; an account may ask for ten executions a second (docs/limits.md). */
const FIRST_PAUSE_MS = 20
const LONGEST_PAUSE_MS = 500

const listSchema = z.object({ executions: z.array(z.object({ executionArn: z.string() })) })
const executionSchema = z.object({
  status: z.string(),
  error: z.string().optional(),
  cause: z.string().optional(),
})

/** Follows the executions of the import machine, one after the other, with a line of progress on the terminal. */
const followImports = (cloud: EmbeddedCloud): { next: () => Promise<void> } => {
  const request = createStepFunctionsRequest({
    endpoint: cloud.control,
    region: cloud.region,
    credentials: { accessKeyId: cloud.accessKeyId, secretAccessKey: cloud.secretAccessKey },
  })
  const stateMachineArn = cloud.describeOutputs()['ImportMachineArn']
  const seen = new Set<string>()

  const newExecution = async (): Promise<string | undefined> => {
    const { executions } = listSchema.parse(await request('ListExecutions', { stateMachineArn }))
    return executions.map(({ executionArn }) => executionArn).find(arn => !seen.has(arn))
  }

  const next = async (): Promise<void> => {
    const startedAt = performance.now()
    const elapsed = () => (performance.now() - startedAt) / 1000
    let executionArn = await newExecution()
    let pause = pauses()
    while (executionArn === undefined) {
      if (elapsed() > PATIENCE_SECONDS) throw new Error('No execution of the import machine has started')
      await pause()
      executionArn = await newExecution()
    }
    seen.add(executionArn)
    pause = pauses()
    for (;;) {
      const { status, error, cause } = executionSchema.parse(
        await request('DescribeExecution', { executionArn }),
      )
      showProgress(`  import ${status.toLowerCase()}, ${elapsed().toFixed(1)} s`, status !== 'RUNNING')
      if (status === 'SUCCEEDED') return
      if (status !== 'RUNNING') throw new Error(`The import ended as ${status}: ${error}: ${cause}`)
      await pause()
    }
  }
  return { next }
}

/** Sleeps longer each time. */
const pauses =
  (milliseconds = FIRST_PAUSE_MS) =>
  () => {
    const slept = sleep(milliseconds)
    milliseconds = Math.min(milliseconds * 1.3, LONGEST_PAUSE_MS)
    return slept
  }

/** Rewrites one line on a terminal; elsewhere prints only the last text. */
const showProgress = (line: string, isLast: boolean): void => {
  if (process.stdout.isTTY) process.stdout.write(`\r\x1b[K${line}${isLast ? '\n' : ''}`)
  else if (isLast) process.stdout.write(`${line}\n`)
}
