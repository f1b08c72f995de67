import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { folderUntilEnd, untilEnd } from '#support/until-end.ts'
import { createExtractConsole } from '../../cli/extract-console.ts'
import { startApi } from '../functions/lib/extractor/api-server.ts'
import { readTables } from '../functions/lib/extractor/run-extraction.ts'
import { runMillrace } from '../support/millrace.ts'

let count = 0

const folder = folderUntilEnd()
const api = await untilEnd(
  startApi(({ path, query }, response) => {
    if (path === '/changes' && query.get('since') === '2026-01-03T00:00:00Z') {
      response.statusCode = 400
      return { message: 'not this day' }
    }
    if (path === '/empty') return []
    return Number(query.get('page') ?? 1) > 3
      ? []
      : [
          { id: `${path}${query.get('page')}`, list: [1, 2] },
          { id: 'b', text: 'x'.repeat(50) },
        ]
  }),
)

/** A data folder with this configuration. */
const dataDir = (config: unknown, state?: unknown): string => {
  const dir = join(folder, String(count++))
  mkdirSync(join(dir, 'in'), { recursive: true })
  writeFileSync(join(dir, 'config.json'), typeof config === 'string' ? config : JSON.stringify(config))
  if (state !== undefined) writeFileSync(join(dir, 'in/state.json'), JSON.stringify(state))
  return dir
}

const config = (jobs: object[] = [{ endpoint: 'items' }], over: object = {}) => ({
  parameters: {
    api: { baseUrl: `${api.origin}/`, pagination: { method: 'pagenum' } },
    config: { '#token': 'very-secret-token', jobs, ...over },
  },
})

const run = async (args: string[], environment: Record<string, string> = {}) => {
  const { code, stdout: out, stderr: err } = await runMillrace(['extract', ...args], { environment })
  return { code, out, err }
}

describe('millrace extract', () => {
  it('writes tables, manifests and the state, and ends with 0', async () => {
    const dir = dataDir(config(undefined, { outputBucket: 'main' }), { mine: 1 })
    const { code, out } = await run([dir], { MILLRACE_NOW: '2026-01-31T00:00:00Z' })
    expect(code).toBe(0)
    expect(Object.keys(readTables(join(dir, 'out/tables'))).sort()).toEqual(['main.items', 'main.items_list'])
    expect(JSON.parse(readFileSync(join(dir, 'out/tables/main.items.manifest'), 'utf8'))).toEqual({
      destination: 'in.c-main.items',
      incremental: false,
    })
    expect(JSON.parse(readFileSync(join(dir, 'out/state.json'), 'utf8'))).toMatchObject({
      mine: 1,
      time: { previousStart: 1_769_817_600 },
    })
    const lines = out
      .trim()
      .split('\n')
      .map(line => JSON.parse(line) as { message: string; context?: unknown }) // our own log lines
    expect(lines.at(-1)?.message).toBe('Extractor finished successfully.')
    expect(lines.find(({ message }) => message === 'Summary')?.context).toMatchObject({
      rows: 6,
      jobs: [{ endpoint: 'items', pages: 4, rows: 6, ended: { 'a page held no items': 1 } }],
    })
  })

  it('takes the folder from KBC_DATADIR', async () => {
    const dir = dataDir(config())
    expect((await run([], { KBC_DATADIR: dir })).code).toBe(0)
    expect(existsSync(join(dir, 'out/tables/items'))).toBe(true)
  })

  it.each([
    [
      'a misspelt key',
      () => config([{ endpoint: 'items', dataTYpe: 'x' }]),
      [],
      1,
      'did you mean "dataType"',
    ],
    [
      'no data where some must be',
      () => config([{ endpoint: 'empty', failWhenEmpty: true }]),
      [],
      1,
      'gave no rows',
    ],
    ['a file that is no JSON', () => '{', [], 1, 'is not a valid JSON: Syntax error (Expected'],
    ['a preview of nothing', () => config(), ['--preview', '0'], 1, 'positive number'],
  ])('ends for %s with the right code', async (_, make, flags, code, message) => {
    const dir = dataDir(make())
    const result = await run([dir, ...flags])
    expect(result.err).toContain(message)
    expect(result.code).toBe(code)
    expect(existsSync(join(dir, 'out'))).toBe(false)
  })

  it('ends with 1 and a sentence without a configuration', async () => {
    const { code, err } = await run([join(folder, 'nowhere')])
    expect(code).toBe(1)
    expect(err).toBe(`Configuration file '${join(folder, 'nowhere', 'config.json')}' not found.\n`)
  })

  it('ends with 1 and a sentence when the state cannot be read: without it everything would be read again', async () => {
    const dir = dataDir(config())
    const file = join(dir, 'in', 'state.json')
    mkdirSync(file)
    const { code, err } = await run([dir])
    expect(err).toContain(`State file '${file}' cannot be read`)
    expect(code).toBe(1)
    expect(existsSync(join(dir, 'out'))).toBe(false)
  })

  it('lets nobody else read the state', async () => {
    const dir = dataDir(config())
    mkdirSync(join(dir, 'out'))
    writeFileSync(join(dir, 'out', 'state.json'), '{}', { mode: 0o644 })
    expect((await run([dir])).code).toBe(0)
    expect(statSync(join(dir, 'out', 'state.json')).mode & 0o777).toBe(0o600)
  })

  it('is as tolerant as Generic Extractor with --compat', async () => {
    expect((await run([dataDir(config([{ endpoint: 'items', dataTYpe: 'x' }])), '--compat'])).code).toBe(0)
  })

  it('previews a few rows of each job and writes nothing', async () => {
    const dir = dataDir(
      config([
        { endpoint: 'items' },
        { endpoint: 'items', id: 'again', dataType: 'items_more' },
        { endpoint: 'others' },
      ]),
    )
    const sent = api.requests.length
    const { code, out } = await run([dir, '--preview', '2'])
    expect(code).toBe(0)
    expect(out).toContain('items (2 rows)')
    expect(out).toContain('others (2 rows)')
    expect(out).toContain(`${'x'.repeat(31)}…`)
    expect(api.requests.length).toBe(sent + 3)
    expect(existsSync(join(dir, 'out'))).toBe(false)
  })
})

describe('the console', () => {
  const screen = (isTTY: boolean) => {
    let text = ''
    let clock = 0
    const output = {
      isTTY,
      columns: 60,
      write: (part: string) => {
        text += part
      },
    }
    const console = createExtractConsole(
      { stdout: output, stderr: output, environment: {} },
      () => (clock += 1000),
    )
    return { console, text: () => text }
  }
  const progress = {
    pages: 3,
    rows: 300,
    retries: 1,
    requests: 1,
    waitedSeconds: 0,
    url: 'http://a.example/x?key=***',
  }

  it('keeps one progress line on a terminal, below the log', () => {
    const { console, text } = screen(true)
    console.progress(progress)
    console.log({ level: 'warning', message: 'careful' })
    expect(text()).toContain('3 pages  300 rows')
    expect(text()).toContain('\r\u001b[2Kwarning: careful\n')
    expect(
      text()
        .split('\r')
        .every(line =>
          line
            .replaceAll('\u001b[2K', '')
            .split('\n')
            .every(part => part.length < 60),
        ),
    ).toBe(true)
  })

  it('writes JSON lines and no progress elsewhere', () => {
    const { console, text } = screen(false)
    console.progress(progress)
    console.log({ level: 'info', message: 'hello', context: { a: 1 } })
    expect(text()).toBe('{"level":"info","message":"hello","context":{"a":1}}\n')
  })
})
