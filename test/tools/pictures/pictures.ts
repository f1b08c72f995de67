import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { chromium, type Page } from 'playwright-core'
import { startEmbeddedCloud } from '#local/runtime/embedded-cloud.ts'
import { furnish, startShop } from './furnish.ts'

/** Each page of the console in light, dark and on a phone: `npm run pictures -- [--to FOLDER] [--only NAME,NAME] [--keep]`. */
const { values } = parseArgs({
  options: {
    to: { type: 'string', default: 'cdk.out/pictures' },
    only: { type: 'string', default: '' },
    /** Leaves the installation running until it is interrupted, to look at by hand. */
    keep: { type: 'boolean', default: false },
  },
})

const looks = {
  light: { colorScheme: 'light', viewport: { width: 1440, height: 900 } },
  dark: { colorScheme: 'dark', viewport: { width: 1440, height: 900 } },
  phone: { colorScheme: 'light', viewport: { width: 390, height: 844 } },
} as const

const folder = mkdtempSync(join(tmpdir(), 'pictures-'))
const shop = await startShop()
const cloud = await startEmbeddedCloud({ dataDir: join(folder, 'data') })

const first = async (path: string): Promise<string> => {
  const headers = { 'X-StorageApi-Token': cloud.token ?? '' }
  const [found] = (await (await fetch(`${cloud.api}/v2/storage/${path}`, { headers })).json()) as {
    id: string
  }[] // a list, by the documentation
  return `${found?.id}`
}

/** Name of the picture, and the page. */
const pages: Readonly<Record<string, () => string | Promise<string>>> = {
  overview: () => '',
  tables: () => '/tables',
  table: () => '/tables/in.c-shop.orders',
  profile: () => '/tables/in.c-shop.orders/profile',
  query: () => '/query?table=in.c-shop.orders',
  drop: () => '/drop',
  jobs: () => '/jobs',
  job: async () => `/jobs/${await first('jobs')}`,
  'failed-run': async () => `/runs/${await first('runs?status=error')}`,
  run: async () => `/runs/${await first('runs?status=success')}`,
  letters: () => '/dead-letters',
  configurations: () => '/configurations',
  configuration: () => '/configurations/ex-generic-v2/web-shop',
  row: () => '/configurations/ex-generic-v2/web-shop/rows/orders',
  bench: () => '/configurations/ex-generic-v2/web-shop/bench',
  files: () => '/files',
  file: async () => `/files/${await first('files')}`,
  events: () => '/events',
  tokens: () => '/tokens',
  search: () => '/search?q=orders',
  'not-found': () => '/nothing',
}

const signIn = async (page: Page): Promise<void> => {
  await page.goto(`${cloud.api}/console`)
  await page.getByLabel('Storage token').fill(cloud.token ?? '')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Overview' }).waitFor()
}

await furnish(cloud, shop)
mkdirSync(values.to, { recursive: true })
const browser = await chromium.launch({
  executablePath: process.env['MILLRACE_TEST_CHROMIUM'] || '/usr/bin/chromium',
  args: ['--no-sandbox'],
})
const wanted = values.only.split(',').filter(name => name !== '')
for (const [look, { colorScheme, viewport }] of Object.entries(looks)) {
  const page = await browser.newPage({ colorScheme, viewport })
  await page.goto(`${cloud.api}/console/sign-in`)
  await page.screenshot({ path: join(values.to, `sign-in-${look}.png`) })
  await signIn(page)
  for (const [name, path] of Object.entries(pages)) {
    if (wanted.length > 0 && !wanted.includes(name)) continue
    await page.goto(`${cloud.api}/console${await path()}`, { waitUntil: 'networkidle' })
    await page.screenshot({ path: join(values.to, `${name}-${look}.png`), fullPage: name !== 'overview' })
  }
  await page.close()
}
process.stdout.write(`The pictures are in ${resolve(values.to)}\n`)
if (values.keep) {
  process.stdout.write(`${cloud.api}/console with the token ${cloud.token}; Ctrl-C ends it\n`)
  await new Promise<void>(done => process.once('SIGINT', done))
}
await browser.close()
await cloud.close()
await shop.close()
rmSync(folder, { recursive: true, force: true })
