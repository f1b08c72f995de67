import { type Browser, openBrowser } from './browser.ts'
import { eventually, type Step } from './run-steps.ts'
import { expectSame, type Smoke } from './smoke-context.ts'

const expectPage = (shown: { status: number; path: string }, status: number, path: string): void =>
  expectSame('What the console answers', [shown.status, shown.path], [status, path])

const signIn = async ({ installation: { url, token } }: Smoke): Promise<Browser> => {
  const browser = openBrowser(url)
  expectPage(await browser.open('/console'), 200, '/console/sign-in')
  expectPage(await browser.open('/console/sign-in', { token: 'wrong' }), 401, '/console/sign-in')
  expectPage(await browser.open('/console/sign-in', { token }), 200, '/console')
  return browser
}

/** Every page that needs no name of something. */
const PAGES = [
  '',
  '/tables',
  '/drop',
  '/jobs',
  '/dead-letters',
  '/configurations',
  '/files',
  '/events',
  '/tokens',
]

export const consoleSteps: Readonly<Record<string, Step<Smoke>>> = {
  async 'sign in to the console'(smoke) {
    const browser = await signIn(smoke)
    for (const page of PAGES) expectPage(await browser.open(`/console${page}`), 200, `/console${page}`)
    expectPage(await browser.open('/console/sign-out', {}), 200, '/console/sign-in')
    expectPage(await browser.open('/console/tables'), 200, '/console/sign-in')
    return `a form, a cookie, ${PAGES.length} pages, and out again`
  },

  async 'drop a file in the console'(smoke) {
    const browser = await signIn(smoke)
    const csv = Buffer.from('id,city\n1,Zürich\n2,"Brno, CZ"\n')
    const shown = await browser.send('/console/drop/upload', { name: 'cities.csv', bytes: csv.length })
    expectSame('The status of the upload', shown.status, 200)
    const upload: { fileId: number; url: string } = JSON.parse(shown.text)
    const { status } = await fetch(upload.url, { method: 'PUT', body: csv })
    expectSame('The status of the bytes', status, 200)
    const tableId = `${smoke.bucketId}.cities`
    const load = { fileId: upload.fileId, tableId, primaryKey: 'id', delimiter: ',', incremental: false }
    const loaded = await browser.send('/console/drop/load', load)
    expectSame('The status of the load', loaded.status, 200)
    const { jobId }: { jobId: number } = JSON.parse(loaded.text)
    await eventually('The end of the load', 300, async () => {
      const { status } = await smoke.api('GET', `jobs/${jobId}`)
      return ['success', 'error'].includes(status) ? status : undefined
    })
    expectSame('The table', await smoke.rowsOf(tableId), [
      ['1', 'Zürich'],
      ['2', 'Brno, CZ'],
    ])
    const page = await browser.open(`/console/tables/${tableId}`)
    expectSame('Whether its page shows a row', page.text.includes('Zürich'), true)
    return `${tableId} has the rows, and its page shows them`
  },
}
