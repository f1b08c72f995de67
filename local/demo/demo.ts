import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type EmbeddedCloud, startEmbeddedCloud } from '../runtime/embedded-cloud.ts'
import { extractionAct, startShopApi } from './extraction.ts'
import { followImports } from './follow-imports.ts'
import { putObject } from './put-object.ts'
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
Those were the functions and machines that "npm run deploy" deploys.
  npm start              keeps it running: S3 on port 9000, the storage API on port 8080
  docs/landing.md        which key becomes which table
  docs/extraction.md     configurations, rows, schedules
  docs/architecture.md   what ran just now, step by step`)
} finally {
  await rm(dataDir, { recursive: true, force: true })
}
