import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startCloud } from '#support/start-cloud.ts'
import type { EmbeddedCloud } from '../../local/runtime/embedded-cloud.ts'
import { type ApiServer, startApi } from '../functions/lib/extractor/api-server.ts'
import { eventually } from '../support/eventually.ts'
import { accessibilityProblems, hasBrowser, openBrowser } from './browser.ts'

const TOKEN = 'token-of-the-console-test'

describe.runIf(hasBrowser)('the console in a browser', () => {
  let folder: string
  let cloud: EmbeddedCloud
  let browser: Browser
  let shop: ApiServer
  let page: Page
  let s3: S3Client
  /** Sentences of the browser about scripts and styles that the page's policy refused, and errors of scripts. */
  const complaints: string[] = []

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'console-'))
    cloud = await startCloud({ dataDir: join(folder, 'data'), token: TOKEN })
    shop = await startApi(() => [{ id: 1, city: 'Plzeň' }])
    s3 = new S3Client({
      endpoint: cloud.s3,
      region: cloud.region,
      credentials: { accessKeyId: cloud.accessKeyId, secretAccessKey: cloud.secretAccessKey },
      forcePathStyle: true,
    })
    browser = await openBrowser()
    page = await browser.newPage({ reducedMotion: 'reduce' }) // colours are read in the middle of no change
    page.setDefaultTimeout(300_000)
    page.on('console', message => message.type() === 'error' && complaints.push(message.text()))
    page.on('pageerror', error => complaints.push(error.message))
  })

  afterAll(async () => {
    await browser?.close()
    s3?.destroy()
    await cloud?.close()
    await shop?.close()
    rmSync(folder, { recursive: true, force: true })
  })

  const open = async (path: string): Promise<void> => {
    await page.goto(`${cloud.api}/console${path}`)
  }

  const write = (name: string, content: string): string => {
    const path = join(folder, name)
    writeFileSync(path, content)
    return path
  }

  const choose = async (path: string): Promise<void> => {
    await open('/drop')
    await page.getByLabel(/CSV files/).setInputFiles(path)
  }

  const load = async (fields: Record<string, string> = {}): Promise<void> => {
    for (const [label, value] of Object.entries(fields)) await page.getByLabel(label).fill(value)
    await page.getByRole('button', { name: 'Load' }).click()
    await page.waitForURL(/\/console\/jobs\/\d+$/)
  }

  const drop = async (path: string): Promise<void> => {
    await choose(path)
    await load()
  }

  const api = async (method: string, path: string, body?: unknown): Promise<Record<string, unknown>> => {
    const response = await fetch(`${cloud.api}/v2/storage/${path}`, {
      method,
      headers: { 'X-StorageApi-Token': TOKEN, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    return (await response.json()) as Record<string, unknown> // an object, by the documentation
  }

  /** Puts another text into the editor, as somebody does who pastes it. */
  const fill = async (content: unknown): Promise<void> => {
    await page.getByRole('textbox', { name: 'JSON of the configuration' }).click()
    await page.keyboard.press('Control+A')
    await page.keyboard.insertText(typeof content === 'string' ? content : JSON.stringify(content))
  }

  const tableExists = async (id: string): Promise<void> =>
    expect(await api('GET', `tables/${id}`)).toMatchObject({ id })

  const land = (name: string, Body: string) =>
    s3.send(new PutObjectCommand({ Bucket: cloud.landingBucket, Key: `in.c-main/${name}.csv`, Body }))

  /** Once a list of the API has an entry; its pages need not be opened again and again then. */
  const listed = (path: string): Promise<Record<string, unknown>> =>
    eventually(async () => {
      const [first] = (await api('GET', path)) as unknown as Record<string, unknown>[] // a list, by the documentation
      if (first === undefined) throw new Error(`${path} is empty`)
      return first
    })

  /** How much of the window has moved by itself since the page was opened (cumulative layout shift; up to 0.1 counts as good). */
  const shifted = (): Promise<number> =>
    page.evaluate<number>(`new Promise(resolve => {
      let sum = 0
      const observer = new PerformanceObserver(list => {
        for (const entry of list.getEntries()) if (!entry.hadRecentInput) sum += entry.value
      })
      observer.observe({ type: 'layout-shift', buffered: true })
      setTimeout(() => { observer.disconnect(); resolve(sum) }, 50)
    })`)

  const checkPage = async (): Promise<void> => {
    expect(await shifted()).toBeLessThan(0.05)
    expect(await accessibilityProblems(page)).toEqual([])
    await page.setViewportSize({ width: 360, height: 740 })
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(360)
    await page.setViewportSize({ width: 1280, height: 800 })
    expect(complaints).toEqual([])
  }

  it('asks who is there, refuses a token that is none, and keeps the right one from scripts', async () => {
    await open('')
    expect(page.url()).toMatch(/sign-in$/)
    await page.getByLabel('Storage token').fill('no-such-token')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('alert').waitFor()
    await page.getByLabel('Storage token').fill(TOKEN)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    expect(await page.evaluate('document.cookie')).toBe('')
    complaints.length = 0 // the browser notes the refusal as an error
  })

  it('makes a table of a file that is dropped', async () => {
    const path = write('orders.csv', 'id,city\n1,Brno\n2,"Praha, ""stará"""\n')
    await choose(path)
    await load({ 'Primary key, columns': 'id' })
    await page.getByText('2 rows', { exact: true }).waitFor()
    await page.getByRole('main').getByRole('link', { name: 'in.c-main.orders' }).first().click()
    await page.getByRole('cell', { name: 'Praha, "stará"' }).waitFor()
    await page.getByLabel('Where').selectOption('city')
    await page.getByLabel('Value 1').fill('Brno')
    await page.getByLabel('Value 1').press('Enter')
    await page.getByRole('status').filter({ hasText: '1 row matches' }).waitFor()
    await page.getByRole('cell', { name: 'Praha' }).waitFor({ state: 'detached' })
    await page.getByRole('cell', { name: 'Brno' }).waitFor()
    expect(await page.getByRole('cell', { name: 'Praha' }).count()).toBe(0)
  })

  it('downloads a table as one file with a header', async () => {
    await open('/tables/in.c-main.orders')
    const whole = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Download' }).press('Enter')
    await page.getByRole('menuitem', { name: 'CSV' }).press('Enter')
    expect((await whole).suggestedFilename()).toBe('orders.csv')
    expect(readFileSync(await (await whole).path(), 'utf8')).toContain('"id","city"\n')
    // What is too much for a request is exported by a job.
    const { id } = await api('POST', 'tables/in.c-main.orders/export-async', { gzip: true })
    await open(`/jobs/${id}`)
    await page.locator('.status.success').first().waitFor()
    await page.getByRole('link', { name: 'The file' }).click()
    await page.getByText(/npx millrace download \d+/).waitFor()
  })

  it('sends a large file', async () => {
    const rows = Array.from({ length: 20_000 }, (_, row) => `${row},${'text '.repeat(200)}${row}`)
    await drop(write('large.csv', `id,text\n${rows.join('\n')}\n`))
    await page.getByText('20,000 rows', { exact: true }).waitFor()
    expect(await api('GET', 'tables/in.c-main.large')).toMatchObject({ rowsCount: 20_000 })
  })

  it('says why a file was not loaded', async () => {
    await drop(write('bad.csv', 'id,city\n1,Brno\n2\n'))
    await page
      .getByRole('alert')
      .filter({ hasText: /line 3/ })
      .waitFor()
  })

  it('knows files by how they begin, detects types, and names what is no table', async () => {
    await choose(write('people.txt', '{"id":1,"paid":true,"on":"2024-01-31"}\n'))
    await page.getByLabel(/Detect types/).check()
    await load()
    await page.getByText('1 row', { exact: true }).waitFor()
    const table = await api('GET', 'tables/in.c-main.people')
    expect(table).toMatchObject({ isTyped: true, rowsCount: 1 })
    for (const type of ['INTEGER', 'BOOLEAN', 'DATE']) expect(JSON.stringify(table)).toContain(type)
    writeFileSync(join(folder, 'bars.csv.gz'), gzipSync('a|b\n1|2\n'))
    await choose(join(folder, 'bars.csv.gz'))
    await page.getByLabel('Delimiter').selectOption('bar')
    await load()
    await page.getByText('1 row', { exact: true }).waitFor()
    await choose(write('paper.csv', '%PDF-1.7'))
    await page.getByRole('button', { name: 'Load' }).click()
    await page.getByRole('alert').filter({ hasText: 'a PDF document' }).waitFor()
    await checkPage()
  })

  it('makes a configuration of a curl command: bench, schedule, run, and deletes it', async () => {
    await open('/configurations')
    await page
      .getByRole('link', { name: /New configuration|Make one of/ })
      .first()
      .click()
    await page.getByLabel(/A curl command/).fill(`curl -H 'X-Token: secret-of-curl' ${shop.origin}/cities`)
    await page.getByRole('button', { name: /Make a configuration/ }).press('Enter')
    await page.getByRole('cell', { name: 'Plzeň' }).waitFor()
    await page.getByText('What was guessed, and why').waitFor()
    await checkPage()
    await page.getByLabel('Name', { exact: true }).fill('Cities')
    const made = JSON.parse(await page.locator('textarea').inputValue())
    made.parameters.config.jobs[0].dataType = 'towns'
    made.parameters.config['#Token'] = 'another-secret'
    await fill({ ...made, schedule: { expression: 'rate(1 day)' } })
    await page.getByRole('button', { name: 'Save and run' }).press('Enter')
    await page.waitForURL(/\/console\/(jobs|runs)\//)
    await eventually(() => tableExists('in.c-127.towns').catch(() => tableExists('in.c-api.towns')))
    expect(shop.requests.at(-1)?.headers['x-token']).toBe('another-secret')
    await open('/configurations')
    await page.getByRole('link', { name: 'Cities' }).click()
    await page.getByText('rate(1 day)').first().waitFor()
    expect(await page.content()).not.toContain('another-secret')
    await page.getByRole('button', { name: 'Delete', exact: true }).press('Enter')
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).press('Enter')
    await page.getByRole('heading', { name: 'Configurations' }).waitFor()
    expect(await page.getByRole('link', { name: 'Cities' }).count()).toBe(0)
    await page.getByRole('button', { name: 'Undo' }).press('Enter')
    await page.getByRole('heading', { name: 'Cities' }).waitFor()
  })

  it('shows why a file of the landing bucket was not imported, and imports the mended one that replaced it', async () => {
    await land('landed', 'id,city\n1\n')
    await listed('dead-letters')
    await open('/dead-letters')
    await page.getByText(/line 2/).waitFor()
    await land('landed', 'id,city\n1,Olomouc\n')
    await page.getByRole('button', { name: 'Start it with the newest file' }).click()
    await page.getByText('Nothing has failed').waitFor()
    await eventually(() => tableExists('in.c-main.landed'))
    await open('/tables/in.c-main.landed')
    await page.getByRole('cell', { name: 'Olomouc' }).waitFor()
  })

  it('starts again what failed, once its cause is mended, and deletes what is given up', async () => {
    const columns = [{ name: 'id', basetype: 'INTEGER' }]
    await api('POST', 'buckets/in.c-main/tables-definition', { name: 'mended', columns })
    await eventually(() => tableExists('in.c-main.mended'))
    await Promise.all([land('mended', 'id\nPraha\n'), land('given-up', 'id,city\n1\n')])
    await eventually(async () => expect(await api('GET', 'dead-letters')).toHaveLength(2))
    await open('/dead-letters')
    const ofTable = page.locator('section').filter({ hasText: 'mended' })
    await ofTable.waitFor()
    const givenUp = page.locator('section').filter({ hasText: 'given-up' })
    await givenUp.getByRole('button', { name: 'Delete the letter' }).first().click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete the letter' }).click()
    await givenUp.waitFor({ state: 'detached' })
    await api('DELETE', 'tables/in.c-main.mended?async=1')
    await eventually(async () => expect(await api('GET', 'tables/in.c-main.mended')).toHaveProperty('error'))
    await ofTable.getByRole('button', { name: 'Start it again' }).click()
    await page.getByText('Nothing has failed').waitFor()
    await eventually(async () => {
      const rows = await api('GET', 'tables/in.c-main.mended/data-preview?format=json')
      expect(JSON.stringify(rows)).toContain('Praha')
    })
    await open('/tables/in.c-main.mended')
    await page.getByRole('cell', { name: 'Praha' }).waitFor()
  })

  it('previews a configuration on a page that keeps the same rules as all, and makes it a table', async () => {
    complaints.length = 0 // what was refused above
    await api('POST', 'components/ex-generic-v2/configs', {
      configurationId: 'bench',
      name: 'Bench',
      configuration: {
        parameters: {
          api: { baseUrl: shop.origin },
          config: { outputBucket: 'shop', jobs: [{ endpoint: 'orders' }] },
        },
      },
    })
    await open('/configurations/ex-generic-v2/bench')
    await page.getByRole('button', { name: 'Preview' }).click()
    await page.getByRole('cell', { name: 'Plzeň' }).waitFor()
    await page.getByText(/1\. GET/).click()
    await page.getByText('"city":"Plzeň"').waitFor()
    await checkPage()
    await page.getByRole('button', { name: /Make it a table/ }).click()
    await page.locator('.status.success').first().waitFor()
    await listed('runs')
    await open('/jobs')
    await page.getByRole('link', { name: 'Run of bench' }).first().click()
    await page.getByRole('link', { name: 'in.c-shop.orders' }).waitFor()
  })

  it('edits a configuration, keeps what was refused, and goes back to a version', async () => {
    await api('POST', 'components/ex-generic-v2/configs', {
      configurationId: 'shop',
      name: 'Shop',
      configuration: {
        parameters: { api: { baseUrl: 'https://a.example.com' }, config: { jobs: [{ endpoint: 'x' }] } },
      },
    })
    await open('/configurations')
    await page.getByRole('link', { name: 'Shop', exact: true }).click()
    const text = await page.locator('textarea').inputValue()
    await fill('{"parameters": ')
    await page.locator('.cm-lint-marker-error').waitFor()
    expect(await page.locator('textarea').isVisible()).toBe(false)
    await fill(text.replace('"endpoint"', '"endpiont"'))
    await page.getByRole('button', { name: 'Save' }).click()
    await page
      .getByRole('alert')
      .filter({ hasText: /jobs.0.endpoint/ })
      .waitFor()
    expect(await page.locator('textarea').inputValue()).toContain('endpiont')
    await fill(text.replace('a.example.com', 'b.example.com'))
    await page.getByLabel('What changes, for the history').fill('another host')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByRole('cell', { name: 'another host' }).waitFor()
    await page.getByRole('button', { name: 'Go back to version 1' }).click()
    await eventually(async () =>
      expect(await page.locator('textarea').inputValue()).toContain('a.example.com'),
    )
    await api('POST', 'components/ex-generic-v2/configs/shop/rows', {
      rowId: 'first',
      name: 'First',
      configuration: {},
    })
    complaints.length = 0
  })

  it('makes a token and shows it once', async () => {
    await open('/tokens')
    await page.getByLabel('Description').fill('of a test')
    await page.getByLabel(/^Bucket/).fill('in.c-main')
    await page.getByRole('button', { name: 'Make the token' }).click()
    const token = await page.getByRole('status').locator('code').innerText()
    const verified = await fetch(`${cloud.api}/v2/storage/tokens/verify`, {
      headers: { 'X-StorageApi-Token': token },
    })
    expect(await verified.json()).toMatchObject({ description: 'of a test' })
    await open('/tokens')
    expect(await page.content()).not.toContain(token)
  })

  it('a table is queried from its page, and the result is a file and a table', async () => {
    await open('/tables/in.c-main.orders')
    await page.getByRole('main').getByRole('link', { name: 'Query' }).click()
    const editor = page.getByRole('textbox', { name: 'SQL', exact: true })
    // The browser keeps the colour of a word that is written over, in a style that the page's policy refuses: the editor takes it away first.
    const write = async (text: string): Promise<void> => {
      await editor.press('ControlOrMeta+a')
      await editor.press('Delete')
      await editor.fill(text)
    }
    await write('SELECT ci')
    await page.getByRole('option', { name: 'city' }).waitFor()
    await page.keyboard.press('Escape')
    const sql =
      "SELECT city, count(*) AS how_many FROM in.c-main.orders GROUP BY city UNION ALL SELECT 'none', 0"
    await write(sql)
    await page.getByRole('button', { name: 'Run' }).click()
    await page.getByRole('columnheader', { name: 'how_many' }).waitFor()
    await checkPage()
    await page.getByLabel(/whole result as a table/).fill('in.c-main.by-city')
    await page.getByRole('button', { name: 'Save as table' }).click()
    await page.waitForURL(/\/console\/jobs\/\d+$/)
    await open('/query')
    await page.getByRole('textbox', { name: 'SQL', exact: true }).fill(sql)
    await page.getByRole('button', { name: 'Download as csv' }).click()
    await page.waitForURL(/\/console\/files\/\d+$/)
    expect(await page.content()).toContain('query')
  })

  it('a run says how far it is and is cancelled on its page, and a table deleted by who types its id, with the keyboard', async () => {
    let answers = 0
    const slow = await startApi(() => sleep(300, [{ id: ++answers }]))
    const parameters = {
      api: {
        baseUrl: slow.origin,
        pagination: { method: 'offset', limit: 1 },
      },
      config: { outputBucket: 'slow', jobs: [{ endpoint: 'rows' }] },
    }
    const configs = 'components/ex-generic-v2/configs'
    await api('POST', configs, { configurationId: 'slow', name: 'Slow', configuration: { parameters } })
    const { id } = await api('POST', `${configs}/slow/run`)
    await eventually(async () => expect(answers).toBeGreaterThan(0))
    await open(`/runs/run-${id}`)
    await page.getByText('Rows so far').waitFor()
    await page.getByText('Sent again').waitFor()
    await page.getByRole('button', { name: 'Cancel' }).press('Enter')
    await page.getByRole('alert').filter({ hasText: 'Cancelled by the token' }).waitFor()
    await slow.close()
    await open('/tables/in.c-main.large/settings')
    await page.getByRole('button', { name: 'Delete the table' }).press('Enter')
    await page.keyboard.type('in.c-main.large')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Deletion of in.c-main.large' }).waitFor()
    await page.getByText('The table goes.').waitFor()
    await eventually(async () => expect(await api('GET', 'tables/in.c-main.large')).toHaveProperty('error'))
    await page.getByRole('button', { name: 'Undo' }).press('Enter')
    await page.getByText('The table comes back as it was.').waitFor()
    await eventually(() => tableExists('in.c-main.large'))
  })

  it('Ctrl+K leads to any page and table by a part of its name', async () => {
    await open('/tokens')
    expect(await page.locator('dialog').isVisible()).toBe(false)
    await page.keyboard.press('Control+k')
    await page.keyboard.type('dead')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Dead letters' }).waitFor()
    await page.keyboard.press('Control+k')
    await page.keyboard.type('orders')
    await page.getByRole('dialog').getByRole('cell', { name: 'in.c-main.orders' }).waitFor()
    await checkPage()
    await page.getByRole('dialog').locator('a[href$="/in.c-main.orders"]').click()
    await page.getByRole('heading', { name: 'in.c-main.orders' }).waitFor()
  })

  it('a page that is looked at again leads to the form once its person has signed out', async () => {
    const other = await browser.newPage()
    await other.goto(`${cloud.api}/console/sign-in?to=/console/jobs`)
    await other.getByLabel('Storage token').fill(TOKEN)
    await other.getByRole('button', { name: 'Sign in' }).click()
    await other.getByRole('heading', { name: 'Jobs and runs' }).waitFor()
    await other.context().clearCookies()
    await other.waitForURL(/sign-in\?to=%2Fconsole%2Fjobs$/)
    await other.close()
  })

  it('the first view of a browser is at most 60 kB over the wire: the form, then the overview', async () => {
    const stranger = await browser.newPage()
    const network = await stranger.context().newCDPSession(stranger)
    await network.send('Network.enable')
    let bytes = 0
    network.on('Network.loadingFinished', ({ encodedDataLength }) => {
      bytes += encodedDataLength
    })
    await stranger.goto(`${cloud.api}/console`, { waitUntil: 'networkidle' })
    await stranger.getByLabel('Storage token').fill(TOKEN)
    await stranger.getByRole('button', { name: 'Sign in' }).click()
    await stranger.getByRole('heading', { name: 'Overview' }).waitFor()
    await stranger.waitForLoadState('networkidle')
    await stranger.close()
    expect(bytes).toBeGreaterThan(0)
    expect(bytes).toBeLessThanOrEqual(60_000)
  })

  const idOf = async (path: string): Promise<string> => String((await listed(path))['id'])

  it.each<[name: string, path: () => string | Promise<string>]>([
    ['the overview', () => ''],
    ['tables', () => '/tables'],
    ['a table', () => '/tables/in.c-main.orders'],
    ...['history', 'snapshots', 'settings'].map((name): [string, () => string] => [
      `${name} of a table`,
      () => `/tables/in.c-main.orders/${name}`,
    ]),
    ['rows of a table', () => '/tables/in.c-main.orders?column0=id&operator0=ne&value0=1'],
    ['a new configuration', () => '/configurations/new'],
    ['a query', () => '/query?table=in.c-main.orders'],
    ['the drop', () => '/drop'],
    ['jobs and runs', () => '/jobs'],
    ['a job', async () => `/jobs/${await idOf('jobs')}`],
    ['a run', async () => `/runs/${await idOf('runs')}`],
    ['dead letters', () => '/dead-letters'],
    ['configurations', () => '/configurations'],
    ['a configuration', () => '/configurations/ex-generic-v2/shop'],
    ['a row of a configuration', () => '/configurations/ex-generic-v2/shop/rows/first'],
    ['files', () => '/files'],
    ['a file', async () => `/files/${await idOf('files')}`],
    ['events', () => '/events'],
    ['tokens', () => '/tokens'],
    ['a search', () => '/search?q=orders'],
  ])(
    '%s: no rule of accessibility is broken, light and dark, and a phone is wide enough',
    async (_, path) => {
      await open(await path())
      await checkPage()
    },
  )
})
