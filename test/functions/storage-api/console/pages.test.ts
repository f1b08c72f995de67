import { beforeAll, describe, expect, it } from 'vitest'
import { createConsole } from '#functions/storage-api/console/console.tsx'
import { withConsole } from '#functions/storage-api/console/with-console.ts'
import { loadSettingsOf } from '#lib/wire/load-settings.ts'
import { withStorage } from '#support/storage-service.ts'
import { storeRun } from '#support/store-run.ts'
import { untilEnd } from '#support/until-end.ts'
import { startApi } from '../../lib/extractor/api-server.ts'

const ORIGIN = 'https://storage.test'
const configs = '/v2/storage/components/ex-generic-v2/configs'
const shopPage = '/console/configurations/ex-generic-v2/shop'

const run = {
  configId: 'shop',
  trigger: 'schedule nightly',
  results: {
    status: 'success',
    rowsLoaded: 3,
    requests: 2,
    rows: [
      { id: 'odd' },
      {
        id: null,
        name: 'Shop',
        status: 'success',
        rowsLoaded: 3,
        requests: 2,
        seconds: 1,
        legs: 1,
        warnings: ['A list inside a list was left out.'],
        tables: [{ tableId: 'in.c-main.orders', rows: 3 }],
        jobs: [
          {
            job: '0',
            endpoint: 'orders',
            dataType: 'orders',
            runs: 1,
            pages: 2,
            rows: 3,
            ended: { 'short page': 1 },
          },
        ],
      },
    ],
  },
}
const options = {
  assets: () => new Map(),
  storeOrigins: [],
  now: () => new Date(),
  log: { error: (_: string, error: Error) => void console.error(error) },
}
let cookie = ''
let runId = 0

const api = await untilEnd(startApi(({ headers }) => [{ id: 1, city: 'Brno', echo: headers['x-key'] }]))
const service = await withStorage({ allowedHosts: ['127.0.0.1'] })
const app = withConsole(service.app, async () =>
  createConsole({ ...service.stores, ...options, api: service.app }),
)
beforeAll(async () => {
  runId = await storeRun(service.stores, run)
  const signedIn = await submit('/console/sign-in', { token: service.token })
  cookie = signedIn.headers.get('set-cookie')?.split(';')[0] ?? ''
  await service.createBucket('main')
  await service.createTable('in.c-main', 'orders', 'id,city\n1,Brno\n2,\n')
  await service.call('POST', configs, {
    configurationId: 'shop',
    name: 'Shop',
    configuration: {
      parameters: {
        api: { baseUrl: api.origin, http: { headers: { 'X-Key': { attr: '#key' } } } },
        config: { '#key': 'open-sesame', jobs: [{ endpoint: 'orders' }] },
      },
      schedule: { expression: 'cron(0 6 * * ? *)', timezone: 'Europe/Prague' },
    },
  })
})

const submit = (path: string, form: Record<string, string>) =>
  app.fetch(
    new Request(`${ORIGIN}${path}`, {
      method: 'POST',
      headers: { cookie, origin: ORIGIN, 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams(form),
    }),
  )

const page = async (path: string): Promise<string> => {
  const response = await app.fetch(new Request(`${ORIGIN}${path}`, { headers: { cookie } }))
  expect([path, response.status]).toEqual([path, 200])
  return response.text()
}

const follow = async (response: Response): Promise<string> => {
  expect(response.status).toBe(303)
  await service.jobsEnded()
  return page(response.headers.get('location') ?? '')
}

/** The toast that a reply has its browser show. */
const saidIn = ({ headers }: Response) => {
  const [, said = ''] = /millrace_said=([^;]+)/.exec(headers.get('set-cookie') ?? '') ?? []
  return JSON.parse(decodeURIComponent(said).replace(/^[\w-]+\./, ''))
}
const undoIn = (response: Response): { action: string; fields: Record<string, string> } =>
  saidIn(response).undo

/** The text in the editor of a page, as a browser shows it. */
const editorOf = (html: string): string =>
  (/<textarea[^>]*>([\s\S]*?)<\/textarea>/.exec(html)?.[1] ?? '')
    .replaceAll('&quot;', '"')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
const versionIn = (html: string): string => /name="version" value="(\d+)"/.exec(html)?.[1] ?? ''

describe('the overview', () => {
  it('shows all that is stored, and what failed', async () => {
    expect(await page('/console')).toContain('Newest failures')
  })
})

describe('a token with few rights', () => {
  it('sees the overview and no form that it may not send, and hears which right is missing', async () => {
    const { body } = await service.call('POST', '/v2/storage/tokens', {
      description: 'Dashboards',
      bucketPermissions: { 'in.c-main': 'read' },
    })
    const master = cookie
    cookie = '' // a browser of its own
    const signedIn = await submit('/console/sign-in', { token: (body as { token: string }).token })
    cookie = signedIn.headers.get('set-cookie')?.split(';')[0] ?? ''
    try {
      const overview = await page('/console')
      for (const hidden of ['href="/console/drop"', '/console/dead-letters', '/console/tokens', 'failures'])
        expect(overview).not.toContain(hidden)
      expect(overview).not.toContain('href="/console/configurations"')
      const table = await page('/console/tables/in.c-main.orders')
      for (const hidden of ['Load a file', 'Settings']) expect(table).not.toContain(hidden)
      expect(await page('/console/tables/in.c-main.orders/snapshots')).not.toContain(
        '<form method="post" action="/console/tables',
      )
      expect(await page('/console/tables/in.c-main.orders/settings')).toContain('right to write its bucket')
      expect(await page('/console/query')).not.toContain('Save as table')
      const refused = await app.fetch(new Request(`${ORIGIN}/console/dead-letters`, { headers: { cookie } }))
      expect(refused.status).toBe(403)
      expect(await refused.text()).toContain('Your token lacks all buckets (canManageBuckets)')
    } finally {
      cookie = master
    }
  })
})

describe('what has not the form that it should have', () => {
  it('an alias with a filter and columns of its own, whose rows nobody has counted, is listed', async () => {
    await service.call('POST', '/v2/storage/buckets/in.c-main/table-aliases', {
      sourceTable: 'in.c-main.orders',
      name: 'brno',
      aliasFilter: { column: 'city', values: ['Brno'] },
      aliasColumns: ['id'],
    })
    for (const path of ['/console', '/console/tables/in.c-main.brno']) await page(path)
    expect(await page('/console/tables')).toContain('>brno</a>')
  })

  it('is named on its page, and all the rest is shown', async () => {
    const broken = createConsole({
      ...service.stores,
      ...options,
      api: {
        fetch: async request => {
          const response = await service.app.fetch(request)
          if (new URL(request.url).pathname !== '/v2/storage/tables') return response
          const tables = (await response.json()) as object[] // the reply is a list
          return Response.json([{ id: 'in.c-main.broken', name: 7 }, ...tables])
        },
      },
    })
    for (const path of ['/console/tables', '/console']) {
      const response = await broken.fetch(new Request(`${ORIGIN}${path}`, { headers: { cookie } }))
      expect(response.status).toBe(200)
      const html = await response.text()
      expect(html).toContain('tables: in.c-main.broken cannot be shown.')
      expect(html).toContain(path === '/console/tables' ? '>orders</a>' : 'Newest failures')
    }
  })

  it('a schedule that cannot be read is named as such on the overview', async () => {
    await service.call('POST', '/v2/storage/components/docker-demo/configs', {
      name: 'Odd schedule',
      configuration: { schedule: 'every day' },
    })
    expect(await page('/console')).toMatch(/Odd schedule<.*?cannot be read/)
  })

  it('a row of a run that is none is shown as it is, beside the others', async () => {
    const html = await page(`/console/runs/run-${runId}`)
    expect(html).toContain('This row of the run cannot be shown.')
    expect(html).toContain('in.c-main.orders')
  })
})

describe('jobs and runs', () => {
  it('are one list, and a run says what each row did and why its jobs ended', async () => {
    const html = await page('/console/jobs')
    expect(html).toMatch(/Import (of \S+ )?into in\.c-main\.orders/)
    expect(html).toContain(`/console/runs/run-${runId}`)
    const detail = await page(`/console/runs/run-${runId}`)
    for (const text of ['short page', 'A list inside a list', 'in.c-main.orders', 'schedule nightly'])
      expect(detail).toContain(text)
  })
})

describe('a table', () => {
  it('shows where its rows come from', async () => {
    expect(await page('/console/tables/in.c-main.orders/history')).toMatch(/Import (of \S+ )?into/)
  })

  it('is kept as a snapshot, and made again of it', async () => {
    await follow(await submit('/console/tables/in.c-main.orders/snapshots', { description: 'before' }))
    const html = await page('/console/tables/in.c-main.orders/snapshots')
    const [, kept] = /action="([^"]+)\/copy"/.exec(html) ?? []
    expect(html).toContain('before')
    await follow(await submit(`${kept}/copy`, { name: 'again' }))
    expect(await page('/console/tables/in.c-main.again')).toContain('Brno')
    // In place, with a snapshot of what was replaced.
    await follow(await submit(`${kept}/restore`, {}))
    expect(await page('/console/tables/in.c-main.orders/snapshots')).toContain(
      'Before a snapshot was restored',
    )
  })

  it('is renamed; its rows and itself are deleted only when its id was typed', async () => {
    const path = '/console/tables/in.c-main.again'
    await follow(await submit(`${path}/rename`, { displayName: 'Again' }))
    expect(await page(`${path}/settings`)).toContain('value="Again"')
    for (const act of ['truncate', 'delete'])
      expect((await submit(`${path}/${act}`, { typed: 'again' })).status).toBe(400)
    expect(await page(path)).toContain('Brno')
    await follow(await submit(`${path}/truncate`, { typed: 'in.c-main.again' }))
    expect(await page(path)).toContain('No row matches')
    await follow(await submit(`${path}/delete`, { typed: 'in.c-main.again' }))
    expect((await submit(`${path}/delete`, { typed: 'in.c-main.again' })).status).toBe(404)
  })

  it('keeps how files that land load, until a field is emptied', async () => {
    const path = '/console/tables/in.c-main.orders'
    const keep = async (fields: Record<string, string>) => {
      const said = await follow(await submit(`${path}/loads`, fields))
      const { body } = await service.call('GET', '/v2/storage/tables/in.c-main.orders/metadata')
      return { said, kept: loadSettingsOf(body) }
    }
    const fields = { types: 'detect', delimiter: ';', enclosure: '', columns: 'id,city' }
    const { said, kept } = await keep({ ...fields, incremental: '1' })
    expect(kept).toEqual({ incremental: '1', types: 'detect', delimiter: ';', columns: 'id,city' })
    for (const shown of [
      'value="detect" selected',
      'value=";"',
      'value="id,city"',
      'name="incremental" checked',
    ])
      expect(said).toContain(shown)
    expect((await keep({ ...fields, columns: '', delimiter: String.raw`\t` })).kept).toEqual({
      types: 'detect',
      delimiter: String.raw`\t`,
    })
    const refused = await submit(`${path}/loads`, { ...fields, delimiter: ';;' })
    expect([refused.status, await refused.text()]).toEqual([
      400,
      expect.stringContaining('must be one character'),
    ])
    expect((await keep({})).kept).toEqual({})
  })

  it('comes back as it was, by the undo of what took its rows or all of it', async () => {
    await service.createTable('in.c-main', 'undone', 'id,city\n1,Ostrava\n')
    const path = '/console/tables/in.c-main.undone'
    for (const act of ['truncate', 'delete']) {
      const done = await submit(`${path}/${act}`, { typed: 'in.c-main.undone' })
      await follow(done)
      const { action, fields } = undoIn(done)
      await follow(await submit(action, fields))
      expect(await page(path)).toContain('Ostrava')
    }
    expect((await submit(`${path}/undo`, {})).status).toBe(400)
  })

  it.each(['csv', 'jsonl', 'parquet'])('is downloaded as %s with one click', async format => {
    const response = await app.fetch(
      new Request(`${ORIGIN}/console/tables/in.c-main.orders/download?format=${format}`, {
        headers: { cookie },
      }),
    )
    expect([response.status, response.headers.get('location')]).toEqual([
      303,
      expect.stringContaining(`orders.${format}`),
    ])
  })

  it('is shown by the page, filtered and ordered by the types of its columns', async () => {
    const rows = Array.from({ length: 120 }, (_, id) => `${id},${id % 2 === 0 ? 'a' : ''}`).join('\n')
    await service.call('POST', '/v2/storage/buckets/in.c-main/tables-definition', {
      name: 'many',
      columns: [{ name: 'n', basetype: 'INTEGER' }, { name: 'kind' }],
    })
    await service.jobsEnded()
    await service.call('POST', '/v2/storage/tables/in.c-main.many/import-async', {
      dataFileId: await service.upload(`n,kind\n${rows}\n`),
    })
    await service.jobsEnded()
    const cells = async (query: string): Promise<string[]> => {
      const html = await page(`/console/tables/in.c-main.many?${query}`)
      return [...html.matchAll(/<tr><td[^>]*>([^<]*)</g)].map(([, cell = '']) => cell)
    }
    expect((await cells('page=1')).length).toBe(20)
    expect((await cells('order=n&direction=DESC')).slice(0, 2)).toEqual(['119', '118'])
    const few = 'column0=n&operator0=ge&value0=99&column1=kind&operator1=eq&value1='
    expect((await cells(few)).toSorted()).toEqual(
      ['99', '101', '103', '105', '107', '109', '111', '113', '115', '117', '119'].toSorted(),
    )
    const html = await page(`/console/tables/in.c-main.many?${few}`)
    for (const text of ['11 rows match', 'Delete 11 rows']) expect(html).toContain(text)
    const fields = Object.fromEntries(new URLSearchParams(few))
    const unknown = { ...fields, operator0: 'startsWith' }
    const shown = new Request(`${ORIGIN}/console/tables/in.c-main.many?${new URLSearchParams(unknown)}`, {
      headers: { cookie },
    })
    for (const response of [
      await app.fetch(shown),
      await submit('/console/tables/in.c-main.many/rows/delete', unknown),
    ])
      expect([response.status, await response.text()]).toEqual([
        400,
        expect.stringContaining('There is no comparison startsWith'),
      ])
    await follow(await submit('/console/tables/in.c-main.many/rows/delete', fields))
    expect(await page('/console/tables/in.c-main.many')).toContain('109 rows')
    expect((await submit('/console/tables/in.c-main.many/rows/delete', {})).status).toBe(400)
    expect(await page(`/console/tables/in.c-main.many?column0=gone&value0=1`)).toContain(
      'column does not exist',
    )
  })
})

describe('a new configuration', () => {
  const NEW = '/console/configurations/new'
  const hidden = (html: string, name: string): string =>
    unescaped(new RegExp(`name="${name}" value="([^"]*)"`).exec(html)?.[1] ?? '')
  const unescaped = (text: string): string =>
    text.replaceAll('&quot;', '"').replaceAll('&#39;', "'").replaceAll('&lt;', '<').replaceAll('&amp;', '&')

  it('is made of a curl command, changed and tried again, saved with its secret, and deleted', async () => {
    const text = `curl -H 'X-Key: secret-of-the-new-one' ${api.origin}/orders`
    const made = await (await submit(NEW, { text })).text()
    for (const said of ['What was guessed', 'Brno', 'GET ']) expect(made).toContain(said)
    expect(made).not.toContain('secret-of-the-new-one')
    const form = Object.fromEntries(['configurationId', 'remarks'].map(name => [name, hidden(made, name)]))
    const edited = { ...form, name: 'New', configuration: editorOf(made) }
    const configuration = JSON.parse(editorOf(made))
    configuration.parameters.config.jobs[0].dataType = 'things'
    configuration.schedule = { expression: 'rate(1 day)' }
    const changed = { ...edited, configuration: JSON.stringify(configuration) }
    const tried = await (await submit(`${NEW}/try`, changed)).text()
    for (const said of ['things: 1 row', 'What was guessed']) expect(tried).toContain(said)
    const wrong = await (await submit(`${NEW}/save`, { ...edited, configuration: '{' })).text()
    expect(wrong).toContain('not valid JSON')
    expect(saidIn(await submit(`${NEW}/save`, changed))).toEqual({ text: 'It was saved.' })
    const path = `components/ex-generic-v2/configs/${form['configurationId']}`
    const { body } = await service.call('GET', `/v2/storage/${path}`)
    expect(body.configuration).toMatchObject({ schedule: { expression: 'rate(1 day)' } })
    expect((await service.call('POST', `/v2/storage/${path}/preview`, {})).body).toMatchObject({
      error: null,
    })
    const own = `/console/configurations/ex-generic-v2/${form['configurationId']}`
    expect((await submit(`${own}/delete`, {})).status).toBe(303)
    expect((await service.call('GET', `/v2/storage/${path}`)).body.isDeleted ?? true).toBe(true)
    expect((await submit(`${own}/restore`, {})).status).toBe(303)
    expect(await page(own)).toContain('rate(1 day)')
  })

  it('says what it cannot be made of, and keeps it', async () => {
    const html = await (await submit(NEW, { text: 'hello' })).text()
    expect(html).toContain('role="alert"')
    expect(html).toContain('hello')
  })
})

describe('a configuration', () => {
  it('is edited without its secret being shown, and keeps it', async () => {
    const html = await page(shopPage)
    const text = editorOf(html)
    expect(html).not.toContain('open-sesame')
    expect(text).toMatch(/"#key": "KBC::/)
    expect(html).toMatch(/0[67]:00:00|06:00:00/)
    const version = versionIn(html)
    const saved = await submit(shopPage, {
      configuration: text.replace('"orders"', '"orders?page=1"'),
      changeDescription: 'first page',
      version,
    })
    expect(saved.status).toBe(303)
    const late = await submit(shopPage, { configuration: text, version })
    expect(await late.text()).toContain('is at version')
    const bench = await (await submit(`${shopPage}/bench`, { rows: '5' })).text()
    expect(api.requests.at(-1)?.headers['x-key']).toBe('open-sesame')
    for (const shown of ['page=1', 'Brno', 'Make it a table', 'X-Key: ***']) expect(bench).toContain(shown)
    expect(bench.replaceAll(/<h2>Tables[\s\S]*?Make it a table/g, '')).not.toContain('open-sesame')
  })

  it('is saved only when it can run, or as a draft, which has no schedule; a page of JSON alone is no draft', async () => {
    await service.call('POST', configs, { configurationId: 'draft', name: 'Draft', configuration: {} })
    const own = '/console/configurations/ex-generic-v2/draft'
    const misspelt = {
      parameters: { api: { baseUrl: api.origin }, config: { jobs: [{ endpoint: 'a', paginaton: {} }] } },
    }
    const send = async (configuration: object | string, more = {}) => {
      const text = typeof configuration === 'string' ? configuration : JSON.stringify(configuration)
      const version = versionIn(await page(own))
      const response = await submit(own, { configuration: text, version, ...more })
      return response.status === 303
        ? { ...saidIn(response), isSaved: true }
        : { text: await response.text() }
    }
    const refused = await send(misspelt)
    expect(refused).not.toHaveProperty('isSaved')
    for (const shown of ['paginaton', 'parameters.config.jobs.0', 'Save as draft', '"endpoint"'])
      expect(editorOf(refused.text) + refused.text).toContain(shown)
    for (const [given, why] of [
      ['{', 'not valid JSON'],
      [{ parameters: {}, schedule: 'rate(1 hour)' }, 'A draft has no schedule'],
    ] as const) {
      const { text } = await send(given)
      expect([text.includes(why), text.includes('Save as draft')]).toEqual([true, false])
    }
    expect(await send({ ...misspelt, schedule: 'rate(1 hour)' }, { draft: '1' })).toMatchObject({
      text: expect.stringContaining('A draft has no schedule'),
    })
    expect(await send(misspelt, { draft: '1' })).toEqual({
      isSaved: true,
      text: expect.stringMatching(
        /^It was saved as a draft\. configuration\.parameters\.config\.jobs\.0: .*paginaton/,
      ),
    })
    expect(await send({ ...misspelt, parameters: {} })).toEqual({ isSaved: true, text: 'It was saved.' })
  })

  it('has rows that are edited and switched off', async () => {
    for (const rowId of ['a', 'b'])
      await service.call('POST', `${configs}/shop/rows`, { rowId, name: `Row ${rowId}` })
    await submit(`${shopPage}/rows/b/disabled`, { isDisabled: '1' })
    const row = await page(`${shopPage}/rows/a`)
    const configuration = '{"parameters": {"config": {"jobs": [{"endpoint": "customers"}]}}}'
    expect((await submit(`${shopPage}/rows/a`, { configuration, version: versionIn(row) })).status).toBe(303)
    const { body } = await service.call('GET', `${configs}/shop`)
    expect(body.rows).toMatchObject([
      { id: 'a', configuration: JSON.parse(configuration) },
      { id: 'b', isDisabled: true },
    ])
    const tried = await (await submit(`${shopPage}/bench`, { rowId: 'a' })).text()
    expect(tried).toMatch(/<option value="a" selected[^>]*>\s*Row a/)
  })
})

describe('queries', () => {
  const asked = async (form: Record<string, string>) => (await submit('/console/query', form)).text()

  it('begin with a table, and know the columns of all', async () => {
    const html = await page('/console/query?table=in.c-main.orders')
    expect(html).toContain('FROM in.c-main.orders')
    expect(html).toContain('&quot;in.c-main.orders&quot;:[&quot;id&quot;,&quot;city&quot;]')
    expect(await page('/console/tables/in.c-main.orders')).toContain('/console/query?table=in.c-main.orders')
  })

  it('show rows as text, whatever is in them, and keep what was written', async () => {
    const sql =
      "SELECT city, '<b>' AS tag, NULL AS nothing, {'a': [1]} AS inner FROM in.c-main.orders WHERE id = '1'"
    const html = await asked({ sql })
    for (const part of [
      'Brno',
      '&lt;b&gt;',
      '{&quot;a&quot;:[1]}',
      '1 row.',
      'name="sql"',
      'in.c-main.orders WHERE',
    ])
      expect(html).toContain(part)
    expect(html).not.toContain('<b>')
  })

  it('say that there are more rows than are shown, and what is wrong with a query', async () => {
    expect(await asked({ sql: 'SELECT * FROM range(501)' })).toContain('The first 500 rows; there are more.')
    const wrong = await asked({ sql: 'SELECT nothing FROM in.c-main.orders' })
    expect(wrong).toContain('role="alert"')
    expect(wrong).toContain('SELECT nothing')
    expect(await asked({ sql: 'SELECT * FROM in.c-none.orders' })).toContain('not found')
  })

  it('read texts of numbers as numbers only when asked to', async () => {
    const sql = 'SELECT max(id) + 1 AS next FROM in.c-main.orders'
    expect(await asked({ sql, detectTypes: '1' })).toContain('<td class="cell number">3</td>')
    expect(await asked({ sql })).toContain('role="alert"')
  })

  it('lead to a file with the whole result', async () => {
    const response = await submit('/console/query', { sql: 'SELECT * FROM in.c-main.orders', format: 'csv' })
    expect([response.status, response.headers.get('location')]).toEqual([
      303,
      expect.stringMatching(/^\/console\/files\/\d+$/),
    ])
  })
})
