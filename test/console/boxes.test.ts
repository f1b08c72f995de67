import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type EmbeddedCloud, startEmbeddedCloud } from '../../local/runtime/embedded-cloud.ts'
import { eventually } from '../support/eventually.ts'
import { hasBrowser, openBrowser } from './browser.ts'

const TOKEN = 'token-of-the-boxes'
const NAME = 'Movies by cursor'
const screens = { desk: { width: 1280, height: 800 }, phone: { width: 390, height: 844 } }

/** Where things stand on the screen. */
describe.runIf(hasBrowser)('the boxes of the console', () => {
  let folder: string
  let cloud: EmbeddedCloud
  let browser: Browser
  let page: Page
  /** Of the configuration, which the service named. */
  let id: string

  // biome-ignore lint/suspicious/noExplicitAny: looked into freely
  const api = async (method: string, path: string, body?: unknown): Promise<any> => {
    const response = await fetch(`${cloud.api}/v2/storage/${path}`, {
      method,
      headers: { 'X-StorageApi-Token': TOKEN, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    return response.json()
  }

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'boxes-'))
    cloud = await startEmbeddedCloud({ dataDir: join(folder, 'data'), token: TOKEN })
    await api('POST', 'buckets', { name: 'main', stage: 'in' })
    await api('POST', 'buckets/in.c-main/tables-definition', { name: 'movies', columns: [{ name: 'id' }] })
    const configs = 'components/ex-generic-v2/configs'
    const configuration = (http: object) => ({
      parameters: { api: { baseUrl: 'http://127.0.0.1:1/', http }, config: { jobs: [{ endpoint: 'a' }] } },
    })
    const good = { configurationId: 'good', name: 'Good', configuration: configuration({}) }
    await api('POST', configs, good)
    ;({ id } = await api('POST', configs, { name: NAME, configuration: configuration({ maxRetries: 0 }) }))
    await api('POST', `${configs}/${id}/run`, {})
    await eventually(async () => expect(await api('GET', 'dead-letters')).toHaveLength(1))
    browser = await openBrowser()
    page = await browser.newPage({ reducedMotion: 'reduce', viewport: screens.desk })
    page.setDefaultTimeout(20_000)
    await open('')
    await page.getByLabel('Storage token').fill(TOKEN)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
  })

  afterAll(async () => {
    await browser?.close()
    await cloud?.close()
    rmSync(folder, { recursive: true, force: true })
  })

  const open = (path: string) => page.goto(`${cloud.api}/console${path}`)
  const boxOf = async (found: Locator) => {
    const box = await found.boundingBox()
    if (box === null) throw new Error(`${found} has no box`)
    return { ...box, right: box.x + box.width, bottom: box.y + box.height }
  }
  const expectInView = async (found: Locator): Promise<void> => {
    const { x, y, right, bottom } = await boxOf(found)
    const { width, height } = page.viewportSize() ?? screens.desk
    expect([x >= 0, y >= 0, right <= width, bottom <= height]).toEqual([true, true, true, true])
  }
  /** What lies above the page ends where its content does, but for its padding. */
  const expectTight = async (dialog: Locator, last: Locator): Promise<void> => {
    await expectInView(dialog)
    expect((await boxOf(dialog)).bottom - (await boxOf(last)).bottom).toBeLessThan(40)
  }

  describe.each(Object.entries(screens))('at the %s', (_screen, size) => {
    beforeEach(() => page.setViewportSize(size))

    it.each(['/jobs', '', '/dead-letters'])('names a run and shows why it failed, on %s', async path => {
      await open(path)
      await page.getByText(`Run of ${NAME}`).first().waitFor()
      await expectInView(page.getByText('unknown key "maxRetries"').first())
    })

    it('asks in a dialog as tall as its question', async () => {
      await open(`/configurations/ex-generic-v2/${id}`)
      await page.getByRole('button', { name: 'Delete' }).click()
      const dialog = page.getByRole('dialog', { name: 'Delete' })
      await expectTight(dialog, dialog.getByRole('button', { name: 'Cancel' }))
    })

    it('looks for a name in a box as tall as what it finds', async () => {
      await open('')
      await page.keyboard.press('Control+k')
      const box = page.getByRole('dialog', { name: 'Go to' })
      await box.getByRole('link', { name: 'Files' }).waitFor()
      await expectInView(box)
      await page.keyboard.type('cursor')
      await box.getByRole('link', { name: 'Files' }).waitFor({ state: 'detached' })
      await expectTight(box, box.getByRole('row').last())
    })

    it('opens the formats of a download at their button', async () => {
      await open('/tables/in.c-main.movies')
      const button = page.getByRole('button', { name: 'Download' })
      await button.click()
      await expectInView(page.getByRole('menu'))
      const [menu, { x, bottom }] = [await boxOf(page.getByRole('menu')), await boxOf(button)]
      expect([Math.abs(menu.x - x) < 2, menu.y - bottom < 10, menu.y >= bottom]).toEqual([true, true, true])
    })

    it('says that a configuration was saved, and keeps one that cannot run as a draft', async () => {
      await open('/configurations/ex-generic-v2/good')
      await page.getByRole('button', { name: 'Save' }).click()
      await expectInView(page.getByText('It was saved.'))
      await open(`/configurations/ex-generic-v2/${id}`)
      await page.getByRole('button', { name: 'Save' }).click()
      await expectInView(page.getByRole('alert').getByText('unknown key "maxRetries"'))
      await page.getByRole('button', { name: 'Save as draft' }).click()
      await expectInView(page.getByText(/It was saved as a draft.*maxRetries/))
    })
  })
})
