import { describe, expect, it } from 'vitest'
import type { UserError } from '#lib/errors/errors.ts'
import { runExtraction } from '../../run-extraction.ts'

const text = '[{"name":"Žofie","city":"Zürich"}]'
const western = '[{"name":"Zoë","city":"Zürich"}]'

const utf16be = (of: string): Buffer => Buffer.from(`\ufeff${of}`, 'utf16le').swap16()

const answered = (bytes: Buffer, type = 'application/json', job: object = {}) =>
  runExtraction(
    (_, response) =>
      void response.writeHead(200, { 'content-type': type, 'content-length': bytes.length }).end(bytes),
    { config: { jobs: [{ endpoint: 'items', ...job }] } },
  )

describe('the letters of an answer', () => {
  it.each<[string, Buffer, string, string]>([
    ['UTF-8 with a byte order mark', Buffer.from(`\ufeff${text}`), 'application/json', '"Žofie","Zürich"'],
    [
      'UTF-16 with a byte order mark',
      Buffer.from(`\ufeff${text}`, 'utf16le'),
      'application/json',
      '"Žofie","Zürich"',
    ],
    ['UTF-16, the high byte first', utf16be(text), 'application/json', '"Žofie","Zürich"'],
    ['a charset', Buffer.from(western, 'latin1'), 'application/json; charset=ISO-8859-1', '"Zoë","Zürich"'],
    [
      'a quoted charset',
      Buffer.from(western, 'latin1'),
      'application/json;charset="Windows-1252"',
      '"Zoë","Zürich"',
    ],
    [
      'a charset that nobody knows, over UTF-8',
      Buffer.from(text),
      'text/json; charset=utf8mb4',
      '"Žofie","Zürich"',
    ],
  ])('are read: %s', async (_, bytes, type, row) => {
    const { tables, error } = await answered(bytes, type)
    expect(error).toBeUndefined()
    expect(tables['items']).toBe(`"name","city"\n${row}\n`)
  })

  it.each([
    ['a byte order mark', 'json', Buffer.from('\ufeff{"data":"tök"}'), 'application/json'],
    ['a byte order mark before text', 'text', Buffer.from('\ufefftök'), 'text/plain'],
    ['a charset', 'json', Buffer.from('{"data":"tök"}', 'latin1'), 'application/json; charset=iso-8859-1'],
  ])('are read in the answer of a login too: %s', async (_, format, bytes, type) => {
    const { requests, error } = await runExtraction(
      ({ path }, response) =>
        path === '/login' ? void response.writeHead(200, { 'content-type': type }).end(bytes) : [],
      {
        api: {
          authentication: {
            type: 'login',
            loginRequest: { endpoint: 'login' },
            format,
            apiRequest: { query: { token: { response: 'data' } } },
          },
        },
      },
    )
    expect(error).toBeUndefined()
    expect(requests[1]?.query.get('token')).toBe('tök')
  })

  it('are read as the job says', async () => {
    const response = { format: 'json', encoding: 'iso-8859-2' }
    const { tables } = await answered(
      Buffer.from([...Buffer.from('[{"name":"'), 0xae, ...Buffer.from('"}]')]),
      undefined,
      { response },
    )
    expect(tables['items']).toBe('"name"\n"Ž"\n')
  })

  it('are refused when they are whole, but of another charset', async () => {
    const { error } = await answered(Buffer.from('[{"a":1}]'), 'application/json; charset=utf-16')
    expect(error?.message).toMatch(/^The response is no text in utf-16le\. Name what/)
  })

  it.each([
    ['without a charset', 'application/json', 'UTF-8'],
    ['with one that nobody knows', 'application/json; charset=x-ours', 'UTF-8'],
  ])('are refused, never dropped: %s', async (_, type, charset) => {
    const { error, tables } = await answered(Buffer.from(western, 'latin1'), type)
    expect((error as UserError).code).toBe('extractor.response.encoding')
    expect(error?.message).toContain(`is no text in ${charset}. Name what`)
    expect(tables).toEqual({})
  })

  it('make names of columns that stay when keys come in another order, and that tables take', async () => {
    const keys = ['ключ', '日本', 'číslo', 'größe', 'a日', 'b本.id'].map(key => `"${key}":1`)
    const headers = [keys, keys.toReversed()].map(async order => {
      const { tables } = await answered(Buffer.from(`[{${order}}]`))
      return tables['items']?.split('\n')[0]?.replaceAll('"', '').split(',').sort()
    })
    const [columns, others] = await Promise.all(headers)
    expect(columns).toEqual(others)
    expect(columns).toEqual([
      'a_ef0d5988',
      'b_id_a57a599a',
      'cislo',
      'column_4c267a71',
      'column_5452d0e8',
      'grosse',
    ])
  })
})
