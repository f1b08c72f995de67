import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { recordExtraction } from '#lib/extractor/run/cassette/record-extraction.ts'
import { readRun } from '#lib/extractor/run/cassette/recording.ts'
import { replayExtraction } from '#lib/extractor/run/cassette/replay-extraction.ts'
import type { ExtractOptions, KeptWindows } from '#lib/extractor/run/extract.ts'
import { runs } from '#support/thorough.ts'
import { type Answer, startApi } from './api-server.ts'
import { zip } from './requests/answers/zip.ts'
import { configuration, readTables, type Settings } from './run-extraction.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'cassette-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const SECRET = 'a-secret-of-the-configuration'
const recording = (): string => join(folder, 'recording')

const optionsOf = (config: unknown, run: string): ExtractOptions => ({
  config,
  outDir: join(folder, run, 'out'),
  spoolDir: join(folder, run, 'spool'),
})

/** Records a run against a server that is gone afterwards. */
const record = async (answer: Answer, settings: Settings) => {
  const api = await startApi(answer)
  const config = configuration(api.origin, settings)
  try {
    const recorded = await recordExtraction(recording(), optionsOf(config, 'recorded'))
    return { ...recorded, config, requests: api.requests.length }
  } finally {
    await api.close()
  }
}

const replay = (config: unknown) => replayExtraction(recording(), optionsOf(config, 'replayed'))

const everyFile = (path: string): string[] =>
  readdirSync(path, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => readFileSync(join(entry.parentPath, entry.name), 'utf8'))

const pages: Answer = ({ query, headers }) => {
  const page = Number(query.get('page'))
  return page > 3 ? [] : [{ id: page, echo: headers['x-token'] ?? null, tags: ['a', `b${page}`], price: 1.5 }]
}

const paged: Settings = {
  api: { pagination: { method: 'pagenum', firstPageParams: true } },
  config: {
    jobs: [{ endpoint: 'items', children: [{ endpoint: 'items/{id}', placeholders: { id: 'id' } }] }],
  },
}

/** Logs in, and shows the token in a page. */
const withLogin: Settings = {
  api: {
    authentication: {
      type: 'login',
      loginRequest: { endpoint: 'login', method: 'POST', params: { password: { attr: '#password' } } },
      apiRequest: { headers: { 'X-Token': 'token' } },
    },
  },
  config: { '#password': SECRET, userData: { by: { attr: '#password' } } },
}
const login: Answer = ({ path, headers }) =>
  path === '/login' ? { token: 'token-of-the-login' } : [{ id: 1, seen: headers['x-token'] }]

describe('a recorded run', () => {
  it.each([
    ['gzip', (text: string) => gzipSync(text)],
    ['zip', (text: string) => zip({ 'rows.csv': text })],
  ])('replays answers in %s', async (_, pack) => {
    const csv = (_: unknown, response: ServerResponse) => void response.end(pack('id,name\n1,Ann\n'))
    const { config, differences } = await record(csv, { api: { response: { format: 'csv' } } })
    expect(differences).toEqual([])
    expect((await replay(config)).differences).toEqual([])
    expect(readTables(join(folder, 'replayed/out'))).toEqual({ items: '"id","name"\n"1","Ann"\n' })
  })

  it('keeps no secret that an answer holds packed', async () => {
    const settings: Settings = { api: { response: { format: 'csv' } }, config: { '#password': SECRET } }
    const rows = `id,name\n1,${SECRET}\n`
    await record((_, response) => void response.end(gzipSync(rows)), settings)
    const [body] = readdirSync(join(recording(), 'bodies')).map(name =>
      readFileSync(join(recording(), 'bodies', name)),
    )
    expect(gunzipSync(body ?? '').toString()).toBe('id,name\n1,***\n')
    rmSync(recording(), { recursive: true })
    await expect(
      record((_, response) => void response.end(zip({ 'rows.csv': rows })), settings),
    ).rejects.toMatchObject({ code: 'extractor.recording.archive' })
  })

  it('replays without the API, with the same requests, tables and state', async () => {
    const { end, exchanges, requests, differences, config } = await record(pages, paged)
    expect({ differences, exchanges }).toEqual({ differences: [], exchanges: requests })
    const replayed = await replay(config)
    expect(replayed.differences).toEqual([])
    expect(readTables(join(folder, 'replayed/out'))).toEqual(readTables(join(folder, 'recorded/out')))
    expect('result' in end && end.result.finished && end.result.state).toEqual(replayed.result?.state)
  })

  it('repeats answers that failed, without the waits between them', async () => {
    let sent = 0
    const busy: Answer = (_, response) => {
      if (++sent === 1) return response.destroy()
      if (sent === 2) return response.writeHead(503).end()
      return [{ id: 1 }]
    }
    const { exchanges, differences, config } = await record(busy, {
      config: { jobs: [{ endpoint: 'items' }] },
      api: { retryConfig: { http: { codes: [503] }, curl: { codes: [52, 56] } } },
    })
    expect({ exchanges, differences }).toEqual({ exchanges: 3, differences: [] })
    const replayed = await replay(config)
    expect({ differences: replayed.differences, retries: replayed.result?.summary.retries }).toEqual({
      differences: [],
      retries: 2,
    })
  })

  it('that failed is repeated as a failure', async () => {
    const { end, config } = await record((_, response) => response.writeHead(404).end('{"no":"items"}'), {})
    expect('error' in end && end.error.code).toBe('extractor.response.status')
    const replayed = await replay(config)
    expect(replayed.error?.message).toBe('error' in end && end.error.message)
    expect(replayed.differences).toEqual([])
  })

  it('that failed after windows holds what it kept of them, and its replay compares that', async () => {
    const days = ['2026-01-01', '2026-01-02', '2026-01-03']
    const api = await startApi(({ query }, response) => {
      const since = query.get('since') ?? ''
      if (since.startsWith('2026-01-03')) response.statusCode = 400
      return [{ id: days.findIndex(day => since.startsWith(day)), at: since }]
    })
    const incremental = {
      cursor: 'at',
      param: 'since',
      until: 'until',
      start: days[0],
      step: 'P1D',
      end: '2026-01-04',
    }
    const windows = (more: object = {}) =>
      configuration(api.origin, {
        api: { http: { maxConcurrency: 1 } },
        config: { jobs: [{ id: 'people', endpoint: 'people', primaryKey: ['id'], incremental, ...more }] },
      })
    let kept: KeptWindows | undefined
    const recorded = await recordExtraction(recording(), {
      ...optionsOf(windows(), 'recorded'),
      keepWindows: async part => {
        kept = part
      },
    })
    await api.close()
    expect(recorded).toMatchObject({ isWhole: true, differences: [] })
    expect(kept?.tables).toHaveLength(1)
    expect((await readRun(recording())).outcome).toEqual({
      error: { code: 'extractor.response.status', message: expect.any(String) },
      kept: { state: JSON.parse(JSON.stringify(kept?.state)) },
    })
    expect(readTables(join(recording(), 'tables'))).toEqual(readTables(join(folder, 'recorded/out')))
    const replayed = await replay(windows())
    expect(replayed.differences).toEqual([])
    expect(replayed.kept?.state).toEqual(kept?.state)

    const reshaped = await replay(windows({ primaryKey: ['id', 'at'] }))
    expect(reshaped.differences).toEqual([expect.stringContaining('"people.manifest" differs')])
    const renamed = await replay(windows({ id: 'others' }))
    expect(renamed.differences).toEqual([expect.stringContaining('The state differs')])
  })

  it('that failed without anything to keep says so, and its replay keeps nothing either', async () => {
    const api = await startApi((_, response) => response.writeHead(404).end('{}'))
    const config = configuration(api.origin, {})
    await recordExtraction(recording(), { ...optionsOf(config, 'recorded'), keepWindows: async () => {} })
    await api.close()
    expect((await readRun(recording())).outcome).toMatchObject({ kept: null })
    expect((await replay(config)).differences).toEqual([])
  })

  it('holds no secret, not those of a login either, and replays with other secrets', async () => {
    const { differences, maskedBodies, config } = await record(login, withLogin)
    const text = everyFile(recording()).join('\n')
    expect(text).not.toContain(SECRET)
    expect(text).not.toContain('token-of-the-login')
    expect(maskedBodies).toBe(2)
    expect(differences).toEqual(['"items" differs in line 2.'])
    expect((await replay(config)).differences).toEqual([])
    const other = JSON.parse(JSON.stringify(config).replaceAll(SECRET, 'quite-another-secret'))
    expect((await replay(other)).differences).toEqual([])
  })

  it('keeps the words of its configuration that equal a short secret, and replays with them', async () => {
    const settings: Settings = {
      config: {
        '#password': 'bench',
        password: 'bench',
        outputBucket: 'bench',
        jobs: [{ endpoint: 'bench/items', dataType: 'bench', params: { key: { attr: '#password' } } }],
      },
    }
    const { differences, config } = await record(() => [{ id: 1, note: 'ok' }], settings)
    expect(differences).toEqual([])
    const kept = (await readRun(recording())).config
    expect(kept).toMatchObject({
      parameters: {
        config: {
          '#password': '***',
          password: '***',
          outputBucket: 'bench',
          jobs: [{ endpoint: 'bench/items', dataType: 'bench' }],
        },
      },
    })
    expect(
      everyFile(join(recording(), 'bodies')).join() + readFileSync(join(recording(), 'exchanges.jsonl')),
    ).not.toContain('bench')
    expect((await replay(config)).differences).toEqual([])
    expect((await replay(kept)).differences).toEqual([])
  })

  it('holds no secret in hex or behind other bytes in Base64', async () => {
    const hex = Buffer.from(SECRET).toString('hex')
    const basic = Buffer.from(`u:${SECRET}`).toString('base64')
    await record(() => [{ id: 1, hex, basic, back: [...SECRET].reverse().join('') }], {
      config: { '#password': SECRET },
    })
    const [body] = everyFile(join(recording(), 'bodies'))
    expect(body).toBe(
      '[{"id":1,"hex":"***","basic":"***","back":"***"}]'.replace('"***","back', '"dT***","back'),
    )
  })

  it('keeps JSON whole when a number is a secret', async () => {
    const { differences } = await record(() => [{ id: 123456789, text: 'say "123456789"' }], {
      config: { '#account': '123456789' },
    })
    expect(differences).toEqual(['"items" differs in line 2.'])
    expect(readTables(join(recording(), 'tables'))['items']).toBe('"id","text"\n"***","say ""***"""\n')
  })
})

describe('a replay says', () => {
  it('which request has no answer', async () => {
    const { config } = await record(pages, paged)
    const changed = JSON.parse(JSON.stringify(config).replace('"items"', '"others"'))
    const { error, differences } = await replay(changed)
    expect(error?.code).toBe('extractor.recording.unknownRequest')
    expect(differences[0]).toMatch(/^The recorded run succeeded; now it failed: .*others/)
  })

  it('which requests were not sent, and which row differs', async () => {
    const { config } = await record(pages, paged)
    const body = join(recording(), 'bodies/1')
    writeFileSync(body, readFileSync(body, 'utf8').replace('"b1"', '"b9"'))
    const fewer = JSON.parse(JSON.stringify(config).replace('"pagenum"', '"pagenum","forceStop":{"pages":2}'))
    const { differences } = await replay(fewer)
    expect(differences.filter(line => /^Recorded, but not sent: GET .*page=3/.test(line))).not.toEqual([])
    expect(differences.find(line => line.startsWith('"items_tags" differs in line'))).toContain('b9')
  })

  it('which parameter differs, when the address is the same', async () => {
    const job = (since: string) => ({ config: { jobs: [{ endpoint: 'items', params: { since } }] } })
    const { config } = await record(() => [{ id: 1 }], job('yesterday'))
    const changed = JSON.parse(JSON.stringify(config).replace('yesterday', 'today'))
    const { differences } = await replay(changed)
    expect(differences).toEqual([
      expect.stringMatching(/^Sent GET .*since=today, recorded was GET .*since=yesterday\.$/),
    ])
  })

  it('that a folder is no whole recording', async () => {
    const { config } = await record(pages, paged)
    rmSync(join(recording(), 'run.json'))
    await expect(replay(config)).rejects.toThrow(/run.json is missing/)
  })
})

it('a folder that holds something is not recorded into', async () => {
  writeFileSync(join(folder, 'mine'), '')
  const options = optionsOf(configuration('http://127.0.0.1:1', {}), 'run')
  await expect(recordExtraction(folder, options)).rejects.toThrow(/not empty/)
  expect(existsSync(join(folder, 'run'))).toBe(false)
})

it('any answers: the replay equals the record', async () => {
  const rows = fc.array(
    fc.dictionary(fc.string({ minLength: 1, maxLength: 8 }), fc.jsonValue({ maxDepth: 2 })),
    {
      maxLength: 5,
    },
  )
  await fc.assert(
    fc.asyncProperty(fc.array(rows, { maxLength: 3 }), async given => {
      rmSync(recording(), { recursive: true, force: true })
      const { config, end } = await record(({ query }) => given[Number(query.get('page')) - 1] ?? [], paged)
      const replayed = await replay(config)
      expect(replayed.differences).toEqual([])
      expect(replayed.error?.message).toBe('error' in end ? end.error.message : undefined)
    }),
    { numRuns: runs(40) },
  )
})
