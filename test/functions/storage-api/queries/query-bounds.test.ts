import { fork } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { startTableRoutes } from '#support/table-routes.ts'
import { folderUntilEnd } from '#support/until-end.ts'

/* What a query takes is bounded by the system, in a process of its own. */

const { service, bucketId, query, tokenFor } = await startTableRoutes()
const table = await service.createTable(bucketId, 'cities', 'city\nPrague\nBrno\n')

const asker = await tokenFor({ [bucketId]: 'read' })
const ask = (sql: string, { token = asker, ...more }: { token?: string; format?: string } = {}) =>
  query({ sql, ...more }, token)

const MiB = 1024 ** 2
/** A box's bound, and what it may take between two looks where the system does not hold it. */
const MOST_MIB = 768 + 128

const SETTINGS = {
  scratchDir: folderUntilEnd(),
  memoryLimitMiB: 64,
  spillMiB: 20,
  threads: 1,
  mostMemoryMiB: 512,
}

/** Without a shell that bounds it. */
const openedBox = async () => {
  const box = fork(path.resolve('functions/lib/table-engine/queries/box.ts'), [JSON.stringify(SETTINGS)])
  await once(box, 'message')
  return box
}

const isLinux = process.platform === 'linux'

/** The processes of queries, with the most memory that each had; where there is `/proc`. */
const boxes = (): number[] =>
  (isLinux ? readdirSync('/proc') : []).flatMap(pid => {
    try {
      if (!/^\d+$/.test(pid) || !readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('queries/box.ts'))
        return []
      const status = readFileSync(`/proc/${pid}/status`, 'utf8')
      if (!status.includes(`PPid:\t${process.pid}\n`)) return []
      return [Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024]
    } catch {
      return [] // It has just ended.
    }
  })

const text = (thousands: number) => `repeat(repeat('x', 1000), ${thousands})`
const LARGE = text(16_000)

/** Of each kind that makes much of little: the fastest of those that were tried. */
const TOO_LARGE: [string, string][] = [
  [
    'texts that are joined',
    `SELECT length(${Array(60).fill('t').join(' || ')}) FROM (SELECT ${LARGE} || range AS t FROM range(1))`,
  ],
  ['a text that is repeated', `SELECT length(system.main.repeat('x', 2000000000))`],
  ['a list that is repeated', 'SELECT len(repeat([1], 1000000000))'],
  ['a width of format', `SELECT length(format('{:2000000000}', 1))`],
  ['a width of printf', `SELECT length(printf('%*d', 2000000000, 1))`],
  ['an aggregate of texts', `SELECT length(string_agg(${LARGE} || range, ',')) FROM range(200)`],
  ['a list of texts', `SELECT len(list(${LARGE} || range)) FROM range(200)`],
  ['an object of texts', `SELECT length(json_group_object(range, ${LARGE})) FROM range(200)`],
  [
    'a list for each of a list',
    'SELECT len(list_transform(range(10000000), lambda i: [i, i, i, i, i, i, i, i, i, i]))',
  ],
  [
    'a list that is reduced',
    `SELECT length(list_reduce(list_transform(range(50), lambda i: 'xx'), lambda a, b: a || a || b))`,
  ],
  ['a list as long as a number says', 'SELECT list_sum(range(1000000000))'],
  [
    'a recursion',
    `WITH RECURSIVE r(i, s) AS (SELECT 1, 'x' UNION ALL SELECT i + 1, s || s FROM r WHERE i < 60) SELECT max(length(s)) FROM r`,
  ],
  ['a cross join', 'SELECT len(list(a.range * b.range)) FROM range(100000) a, range(100000) b'],
  ['unnest', `SELECT count(DISTINCT ${LARGE} || unnest) FROM unnest(range(500))`],
  [
    'a window',
    `SELECT max(length(s)) FROM (SELECT string_agg(${text(1_000)}, '') OVER (ORDER BY range) AS s FROM range(2000))`,
  ],
  ['groups', `SELECT count(*) FROM (SELECT ${LARGE} || range AS k FROM range(500) GROUP BY k)`],
]

describe('a query that takes too much memory', () => {
  it.each(TOO_LARGE)(
    'ends with a sentence, and nobody else notices: %s',
    { timeout: 60_000 },
    async (_, sql) => {
      const own = process.memoryUsage.rss()
      let highest = 0
      const watch = setInterval(() => {
        highest = Math.max(highest, ...boxes())
      }, 5)
      const { body } = await ask(sql).finally(() => clearInterval(watch))
      expect([body.code, body.error]).toEqual([
        'storage.query.tooLarge',
        expect.stringContaining('more memory'),
      ])
      expect(highest).toBeLessThan(MOST_MIB)
      expect(process.memoryUsage.rss() - own).toBeLessThan(200 * MiB)
      expect(boxes()).toEqual([])
    },
  )

  it('is bounded where the system does not hold the bound, too', { timeout: 60_000 }, async () => {
    // As of a shell that has no such limit.
    const box = await openedBox()
    box.send({ method: 'query', given: [`SELECT length(${text(2_000_000)})`] })
    expect((await once(box, 'exit'))[1]).toBe('SIGKILL')
  })

  it('ends with the process that asked', async () => {
    const box = await openedBox()
    box.send({ method: 'query', given: [ENDLESS] })
    box.disconnect()
    expect((await once(box, 'exit'))[1]).toBe('SIGKILL')
  })
})

describe('results and what spills', () => {
  const files = async (): Promise<number> =>
    (await service.call('GET', '/v2/storage/files?limit=100')).body.length

  it.each(['csv', 'jsonl', 'parquet'])(
    'a result of more than 256 MiB is refused, and none is kept: %s',
    { timeout: 60_000 },
    async format => {
      const before = await files()
      const { status, body } = await ask(
        `SELECT sha256(range::VARCHAR) || repeat('x', 3000) || random() AS c FROM range(120000)`,
        { format },
      )
      expect([status, body.code]).toEqual([400, 'storage.query.tooLarge'])
      expect(await files()).toBe(before)
    },
  )

  it('what spills is bounded', { timeout: 60_000 }, async () => {
    const box = await openedBox()
    const wide = 'CREATE TABLE big AS SELECT sha256(n::VARCHAR) AS c FROM range(3000000) AS r(n)'
    box.send({ method: 'query', given: [wide] })
    const [{ error }] = await once(box, 'message')
    expect(error).toMatch(/^Out of Memory Error: .*max_temp_directory_size/s)
    box.kill('SIGKILL')
  })
})

const ENDLESS = 'SELECT count(*) FROM range(1000000000000) AS r(n) WHERE hash(n) % 3 = 0'

it('one query of a token runs at a time, and files are read meanwhile as ever', {
  timeout: 60_000,
}, async () => {
  const tokens = [asker, await tokenFor({ [bucketId]: 'read' })]
  const slow = 'SELECT count(*) FROM range(50000000) AS r(n) WHERE hash(n) % 3 = 0'
  const answers = [...tokens, ...tokens].map(token => ask(slow, { token }))
  let [longest, most] = [0, 0]
  let isDone = false
  const all = Promise.all(answers).finally(() => {
    isDone = true
  })
  while (!isDone) {
    const began = performance.now()
    await stat('/')
    longest = Math.max(longest, performance.now() - began)
    most = Math.max(most, boxes().length)
    await sleep(5)
  }
  expect((await all).map(({ status }) => status)).toEqual([200, 200, 200, 200])
  expect(most).toBe(isLinux ? 2 : 0)
  expect(longest).toBeLessThan(1_000)
})

describe('a statement that is hard to read is refused, and nobody waits for it', () => {
  const nested = (open: string, close: string, depth = 5_000) =>
    `SELECT ${open.repeat(depth)}1${close.repeat(depth)}`
  it.each([
    ['brackets', nested('(', ')', 40_000)],
    ['queries', nested('(SELECT ', ')')],
    ['lists', nested('[', ']', 40_000)],
    ['cases', nested('CASE WHEN 1 THEN ', ' END', 3_000)],
    [
      'names of WITH in each other',
      `${'WITH a AS ('.repeat(5_000)}SELECT 1${') SELECT 1'.repeat(5_000)}`.slice(0, 99_999),
    ],
    [
      'names of WITH',
      `WITH ${Array.from({ length: 4_900 }, (_, at) => `a${at} AS (SELECT 1)`).join()} SELECT 1`,
    ],
    [
      'sums',
      `SELECT ${Array(48)
        .fill(`${'1+'.repeat(950)}1`)
        .join()}`,
    ],
    ['values', `SELECT ${'1,'.repeat(49_000)}1`],
    ['a comment', `SELECT 1 ${'/* '.repeat(33_000)}`],
    ['quotes', `SELECT "${'" "'.repeat(33_000)}`],
    ['a type', `SELECT 1::${'STRUCT(a '.repeat(9_000)}INT${')'.repeat(9_000)}`],
    ['a message', `SELECT (repeat(' to to\n', 500000) || ' to INT32 when casting from source column')::INT`],
    ['lines', 'SELECT repeat(chr(10), 3000000)::INT'],
    [
      'names of columns',
      `SELECT ${Array(500).fill('COLUMNS(*)').join()} FROM (SELECT ${Array.from({ length: 500 }, (_, at) => `1 a${at}`).join()})`,
    ],
  ])('%s', { timeout: 60_000 }, async (_, sql) => {
    let [longest, last] = [0, performance.now()]
    const watch = setInterval(() => {
      const now = performance.now()
      longest = Math.max(longest, now - last)
      last = now
    }, 5)
    const { status } = await ask(sql).finally(() => clearInterval(watch))
    expect(status).toBe(400)
    expect(longest).toBeLessThan(3_000)
  })
})

describe('who has no right asks nothing, and no engine is started', () => {
  it.each(['SELECT 1', 'SELEC', `SELECT * FROM ${table}`])('%s', async sql => {
    const { body } = await service.call('POST', '/v2/storage/tokens', { componentAccess: ['ex-generic-v2'] })
    const answer = ask(sql, { token: body.token })
    expect(boxes()).toEqual([])
    expect((await answer).status).toBe(403)
  })

  it('of a table of another bucket', async () => {
    expect((await ask('SELECT * FROM in.c-other.secrets')).status).toBe(403)
    expect((await ask(`SELECT 1 FROM ${table}, in.c-other.secrets`)).status).toBe(403)
  })
})
