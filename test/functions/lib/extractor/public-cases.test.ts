import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { parseJson } from '#lib/json/parse-json.ts'
import type { Answer } from './api-server.ts'
import { runExtraction } from './run-extraction.ts'

const CASES = '../shared/conformance/public-cases/'

interface Reply {
  path?: string
  /** What the query has, or behind `!` what it lacks. */
  query?: string
  authorized?: boolean
  status?: number
  headers?: Record<string, string>
  fill?: number
  text: string
}

const answerOf =
  (replies: readonly Reply[]): Answer =>
  ({ path, url, headers }, response) => {
    const query = url.split('?')[1] ?? ''
    const reply = replies.find(
      ({ path: at = path, query: part = '', authorized }) =>
        at === path &&
        (part.startsWith('!') ? !query.includes(part.slice(1)) : query.includes(part)) &&
        (authorized === undefined || authorized === (headers.authorization !== undefined)),
    )
    const port = headers.host?.split(':')[1] ?? ''
    for (const [name, value] of Object.entries(reply?.headers ?? {}))
      response.setHeader(name, value.replace('FILL', 'x'.repeat(reply?.fill ?? 0)))
    response.statusCode = reply?.status ?? 200
    response.end(reply?.text.replace('PORT', port) ?? '[]')
  }

const run = async (name: string) => {
  const read = (file: string) => readFileSync(`${CASES}${name}/${file}`)
  const { parameters } = parseJson(read('config.json')) as Record<string, Record<string, object>>
  const state = existsSync(`${CASES}${name}/in/state.json`) ? parseJson(read('in/state.json')) : undefined
  const { result, ...ran } = await runExtraction(answerOf(JSON.parse(read('answers.json').toString())), {
    api: Object.fromEntries(Object.entries(parameters?.['api'] ?? {}).filter(([key]) => key !== 'baseUrl')),
    config: parameters?.['config'] as Record<string, unknown>,
    options: { state, now: () => Date.parse('2026-03-03') / 1000 },
  })
  const end = result?.finished === true ? result : undefined
  return {
    sent: ran.requests.map(({ url, body }) => url + body),
    rows: Object.values(ran.tables).map(text => text.replaceAll('"', '').trimEnd().split('\n')),
    said: [...(end?.warnings ?? []), ran.error?.message ?? ''].join(''),
    mark: (end?.state['millrace'] as { highWaterMarks?: object } | undefined)?.highWaterMarks,
  }
}

/** What is asked, what becomes of it, a word that is said, and the mark of the next run. */
// biome-ignore format: one case, one line
const cases: [name: string, sent: string[], rows: string[][], said?: string, mark?: object][] = [
  ['b01-big-json-body', ['/items{"p_id":7615917337495251231}'], [['id', '1']]],
  ['b01-big-query', ['/items?account=7615917337495251231'], [['id', '1']]],
  ['b01-big-user-data', ['/items'], [['id,account', '1,7615917337495251231']]],
  ['b03-repeated-endpoint', ['/items?tag=red&tag=blue&page=1', '/items?tag=red&tag=blue&page=2'], [['id', '1']]],
  ['b03-repeated-next-url', ['/items?lang=en', '/items?tag=red&tag=blue&page=2&lang=en'], [['id', '1', '2']]],
  ['b04-names-case', ['/items'], [['ID,id_u0', 'legacy,7']]],
  ['b05-nul', ['/items'], [['id,note', '1,fine', '2,badone']], "'note' of row 2"],
  ['b06-empty-object', ['/items'], [], 'no fields'],
  ['b07-null-item', ['/items'], [['id', '1']], '1 item that is null'],
  ['b08-future-mark-run1', ['/items?since=2026-01-01'], [['id,changed', '1,2026-02-01T00:00:00Z', '2,9999-12-31T00:00:00Z']], 'first 9999-12-31', { o: '2026-02-01T00:00:00Z' }],
  ['b08-future-mark-run2', ['/items?since=2026-01-01'], [['id,changed', '2,9999-12-31T00:00:00Z', '3,2026-03-02T00:00:00Z']], 'does not go on at 9999-12-31', { o: '2026-03-02T00:00:00Z' }],
  ['b10-headers-15k', ['/items'], [['id', '1']]],
  ['b10-headers-17k', ['/items'], [['id', '1']]],
  ['b11-equal-pages', ['/items', '/items?p=1', '/items?p=2'], [['v', 'rain', 'rain', 'sun']]],
  ['b11-two-empty-pages', ['/items', '/items?p=1', '/items?p=2', '/items?p=3'], [['id', '1', '2']]],
  ['b12-next-on-other-host', ['/items', '/items?page=2'], [], 'api.http.trustedOrigins'],
  ['b13-zero-date', ['/items?since=2026-01-01'], [['id,changed', '1,2026-02-01', '2,0000-00-00']], undefined, { o: '2026-02-01' }],
  ['b14-hash-placeholder', ['/items', '/langs/C', '/langs/C'], [['id', 'C#', 'C'], ['asked,parent_id', 'C,C#', 'C,C']], "'C#' as {id}"],
]

describe.skipIf(!existsSync(CASES))('APIs that people reported', () => {
  it.each(cases)('%s', async (name, sent, rows, said, mark) => {
    const found = await run(name)
    expect(found).toMatchObject({ sent, rows, mark })
    if (said === undefined) expect(found.said).toBe('')
    else expect(found.said).toContain(said)
  })
})
