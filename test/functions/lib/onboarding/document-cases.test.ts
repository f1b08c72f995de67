import { describe, expect, it } from 'vitest'
import type { JsonObject } from '#lib/json/json-value.ts'
import { runImported } from './run-imported.ts'

type Answer = Parameters<typeof runImported>[1]

const ids = (...all: (number | string)[]) => all.map(id => ({ id }))

/** One trait of documents of dlt each: where a document asks, and for which rows. */
const documents: [
  trait: string,
  resource: JsonObject,
  answer: Answer,
  expected: { requests: string[]; rows: string[] },
][] = [
  [
    'A14 booleans and lists of parameters',
    { path: 's', params: { archived: false, f: ['a', 'b'] }, paginator: 'single_page' },
    () => ids(1),
    { requests: ['GET /s?archived=False&f=a&f=b'], rows: ['1'] },
  ],
  [
    'A16 a selector with * inside',
    { path: 's', data_selector: 'data[*].attributes', paginator: 'single_page' },
    () => ({ data: [{ attributes: { id: 1 } }, { attributes: { id: 2 } }] }),
    { requests: ['GET /s'], rows: ['1', '2'] },
  ],
  [
    'A17 a cursor inside of the body, and a flag below the root',
    {
      path: 's',
      method: 'POST',
      json: { q: 'x', page: { size: 2 } },
      params: { v: 1 },
      data_selector: 'data',
      paginator: {
        type: 'cursor',
        cursor_path: 'meta.next',
        cursor_body_path: 'page.after',
        has_more_path: 'meta.more',
      },
    },
    ({ body }) => {
      const from = Number(JSON.parse(body).page.after ?? 0)
      return { data: ids(1, 2, 3).slice(from, from + 2), meta: { next: from + 2, more: from === 0 } }
    },
    {
      requests: [
        'POST /s?v=1 {"q":"x","page":{"size":2}}',
        'POST /s?v=1 {"q":"x","page":{"size":2,"after":2}}',
      ],
      rows: ['1', '2', '3'],
    },
  ],
]

describe('traits of documents of dlt', () => {
  it.each(documents)('%s', async (_, endpoint, answer, { requests, rows }) => {
    const ran = await runImported(
      JSON.stringify({ client: { base_url: 'ORIGIN' }, resources: [{ name: 's', endpoint }] }),
      answer,
    )
    expect(ran.losses).toEqual([])
    expect(
      ran.requests.map(({ method, url, body }) => `${method} ${url}${body === '' ? '' : ` ${body}`}`),
    ).toEqual(requests)
    const [, ...lines] = (ran.tables['b.s'] ?? '').trim().split('\n')
    expect(lines.map(line => line.replaceAll('"', ''))).toEqual(rows)
  })
})
