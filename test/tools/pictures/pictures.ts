import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { chromium, type Page } from 'playwright-core'
import { startEmbeddedCloud } from '#local/runtime/embedded-cloud.ts'
import { furnish, startShop } from './furnish.ts'

/** Each page of the console in light, dark and on a phone: `npm run pictures -- [--to FOLDER] [--only NAME,NAME] [--documents] [--keep]`. */
const { values } = parseArgs({
  options: {
    /** Makes the pictures of docs/images anew, too. */
    documents: { type: 'boolean', default: false },
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
  'phone-dark': { colorScheme: 'dark', viewport: { width: 390, height: 844 } },
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
  history: () => '/tables/in.c-shop.orders/history',
  snapshots: () => '/tables/in.c-shop.orders/snapshots',
  engines: () => '/tables/in.c-shop.orders/engines',
  settings: () => '/tables/in.c-shop.orders/settings',
  query: () => '/query?table=in.c-shop.orders',
  drop: () => '/drop',
  jobs: () => '/jobs',
  job: async () => `/jobs/${await first('jobs')}`,
  'failed-run': async () => `/runs/${await first('runs?status=error')}`,
  run: async () => `/runs/${await first('runs?status=success')}`,
  letters: () => '/dead-letters',
  configurations: () => '/configurations',
  'new-configuration': () => '/configurations/new',
  configuration: () => '/configurations/ex-generic-v2/web-shop',
  version: () => '/configurations/ex-generic-v2/web-shop/versions/1',
  row: () => '/configurations/ex-generic-v2/web-shop/rows/orders',
  bench: () => '/configurations/ex-generic-v2/web-shop/bench',
  files: () => '/files',
  file: async () => `/files/${await first('files')}`,
  events: () => '/events',
  tokens: () => '/tokens',
  search: () => '/search?q=orders',
  'not-found': () => '/nothing',
}

/** What the token of dashboards sees: less in the navigation, and a refusal that says which right it lacks. */
const pagesOfReader: typeof pages = {
  'reader-overview': () => '',
  'reader-table': () => '/tables/in.c-shop.orders/settings',
  refusal: () => '/dead-letters',
}

/** Pictures of docs/images by the page and the look that they show. */
const documents: Readonly<Record<string, string>> = {
  'overview-light': 'console-overview',
  'table-light': 'console-table',
  'run-light': 'console-run',
  'overview-phone-dark': 'console-phone-dark',
}

const signIn = async (page: Page, token: string): Promise<void> => {
  await page.goto(`${cloud.api}/console`)
  await page.getByLabel('Storage token').fill(token)
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Overview' }).waitFor()
}

const readersToken = await furnish(cloud, shop)
mkdirSync(values.to, { recursive: true })
const browser = await chromium.launch({
  executablePath: process.env['MILLRACE_TEST_CHROMIUM'] || '/usr/bin/chromium',
  args: ['--no-sandbox'],
})
const wanted = values.only.split(',').filter(name => name !== '')
const isWanted = (name: string): boolean => wanted.length === 0 || wanted.includes(name)

const HIGHEST = 2_600

const take = async (page: Page, name: string, look: string): Promise<void> => {
  const path = join(values.to, `${name}-${look}.png`)
  const size = page.viewportSize()
  const height = Number(await page.evaluate('document.documentElement.scrollHeight'))
  // As high as the page: what is fixed to the window stands where a reader sees it.
  if (size) await page.setViewportSize({ ...size, height: Math.min(HIGHEST, Math.max(size.height, height)) })
  await page.screenshot({ path })
  const shown = documents[`${name}-${look}`]
  if (size && values.documents && shown !== undefined) {
    await page.setViewportSize({ width: Math.min(size.width, 1_280), height: Math.min(size.height, 780) })
    const document = new URL(`../../../docs/images/${shown}.png`, import.meta.url)
    await page.screenshot({ path: fileURLToPath(document) })
  }
  if (size) await page.setViewportSize(size)
}

for (const [look, { colorScheme, viewport }] of Object.entries(looks))
  for (const [token, its] of [
    [cloud.token ?? '', pages],
    [readersToken, pagesOfReader],
  ] as const) {
    const names = Object.keys(its).filter(isWanted)
    if (names.length === 0) continue
    const context = await browser.newContext({ colorScheme, viewport })
    const page = await context.newPage()
    await page.goto(`${cloud.api}/console/sign-in`)
    if (its === pages) await take(page, 'sign-in', look)
    await signIn(page, token)
    for (const name of names) {
      await page.goto(`${cloud.api}/console${await its[name]?.()}`, { waitUntil: 'networkidle' })
      await take(page, name, look)
    }
    await context.close()
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
