import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createMasker } from '#lib/extractor/requests/masking/masker.ts'
import { secretsOf, withParts } from '#lib/extractor/requests/masking/secrets-of.ts'
import { runs } from '#support/thorough.ts'
import { untilEnd } from '#support/until-end.ts'
import { startApi } from '../../api-server.ts'
import { extractFrom } from '../../run-extraction.ts'

describe('the masker', () => {
  it.each([
    ['as it is', 'a token pä$$/w rd here'],
    ['in a query', `?k=${encodeURIComponent('pä$$/w rd')}`],
    ['form encoded', `?k=${new URLSearchParams({ k: 'pä$$/w rd' }).toString()}`],
    ['in base64', Buffer.from('pä$$/w rd').toString('base64')],
    ['in JSON', JSON.stringify({ k: 'pä$$/w rd' }).replace('/', '\\/')],
    ['in JSON within JSON', JSON.stringify(JSON.stringify('pä$$/w rd'))],
    ['in JSON of ASCII', 'p\\u00e4$$/w rd'],
    ['in a query in lower case', encodeURIComponent('pä$$/w rd').toLowerCase()],
    ['in a query within a query', encodeURIComponent(encodeURIComponent('pä$$/w rd'))],
    ['in base64 for addresses', Buffer.from('pä$$/w rd').toString('base64url')],
  ])('finds a secret %s', (_, text) => {
    expect(createMasker(['pä$$/w rd']).mask(text)).toContain('***')
    expect(createMasker(['pä$$/w rd']).mask(text)).not.toContain('w rd')
  })

  it('masks the longer of nested secrets first', () => {
    expect(createMasker(['secret', 'secret-long']).mask('x secret-long y secret')).toBe('x *** y ***')
  })

  it('does not mask words that only contain a very short secret', () => {
    expect(createMasker(['t']).mask('that t at')).toBe('that *** at')
  })

  it('knows the secrets of a configuration', () => {
    const config = {
      a: { '#x': 'one', '#y': { z: 'two' }, password: 'three' },
      '#data': '{"token":"four-four"}',
      '#f': { function: 'md5', args: ['no'] },
    }
    expect([...secretsOf(config).values()].sort()).toEqual([
      'four-four',
      'one',
      'three',
      'two',
      '{"token":"four-four"}',
    ])
  })
})

it('a credential that is written out where it is sent is a secret too', () => {
  const config = {
    http: { headers: { Authorization: 'Bearer abcd', 'X-Api-Key': 'key1', Accept: 'text' } },
    query: { 'api-token': 'tok1', tokens: 'many' },
    apiRequest: { headers: { 'X-Token': 'token' } },
  }
  expect([...secretsOf(config).values()].sort()).toEqual(['Bearer abcd', 'abcd', 'key1', 'tok1'])
})

it('what follows the scheme of a login is a secret, however short', () => {
  expect(withParts('Bearer abcd')).toEqual(['Bearer abcd', 'abcd'])
  expect(withParts('Bearer abc')).toEqual(['Bearer abc'])
})

const encoders: [string, (text: string) => string][] = [
  ['base64', text => Buffer.from(text).toString('base64')],
  ['base64 behind a byte', text => Buffer.from(`x${text}`).toString('base64')],
  ['base64 behind two bytes', text => Buffer.from(`xy${text}z`).toString('base64')],
  ['base64 for addresses', text => Buffer.from(`user:${text}`).toString('base64url')],
  ['base64 of JSON', text => Buffer.from(JSON.stringify({ key: text })).toString('base64')],
]
const escapes: [string, (text: string) => string][] = [
  ['URL', encodeURIComponent],
  ['form', text => new URLSearchParams({ k: text }).toString()],
  ['lower-case URL', text => encodeURIComponent(text).replace(/%../g, found => found.toLowerCase())],
  ['JSON', text => JSON.stringify({ k: text })],
  [
    'ASCII JSON',
    text =>
      JSON.stringify(text).replace(
        /[^ -~]/g,
        unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
      ),
  ],
  ['JSON with slashes', text => JSON.stringify(text).replaceAll('/', '\\/')],
]

/** All that is left of a text when everything that could be escaped or coded is undone, in any order. */
const readings = (text: string): string[] => {
  const undone = new Set([text])
  for (const one of undone) {
    if (undone.size > 300) break
    const forms = [
      () => decodeURIComponent(one),
      () => decodeURIComponent(one.replaceAll('+', ' ')),
      () => one.replace(/\\(u[\da-f]{4}|.)/gs, escaped => JSON.parse(`"${escaped}"`)),
    ]
    for (const form of forms)
      try {
        undone.add(form())
      } catch {
        // not escaped so
      }
  }
  return [...undone]
}

it('finds any secret as it is or in Base64, escaped or not, anywhere in a text', () => {
  const secret = fc
    .string({ minLength: 8, maxLength: 30, unit: 'grapheme' })
    .filter(text => text.isWellFormed())
  const around = fc.string({
    unit: fc.constantFrom('a', '7', ' ', '"', '/', '%', '+', '\\', 'ä'),
    maxLength: 6,
  })
  const encoder = fc.constantFrom<[string, (text: string) => string]>(['as it is', text => text], ...encoders)
  fc.assert(
    fc.property(
      secret,
      encoder,
      fc.constantFrom<[string, (text: string) => string]>(['not', text => text], ...escapes),
      around,
      around,
      (text, [, encode], [, put], before, after) => {
        const coded = encode(text)
        const inside = put(coded)
        const shown = createMasker([text]).mask(`${before} ${inside} ${after}`)
        expect(shown).toContain('***')
        for (const reading of readings(shown)) {
          expect(reading).not.toContain(text)
          expect(reading).not.toContain(coded)
        }
      },
    ),
    { numRuns: runs(400) },
  )
})

it('leaves no letter of what a secret is in Base64, whatever stands before it', () => {
  const secret = 'sekret-0123456789'
  for (let before = 0; before < 7; before++)
    for (let after = 0; after < 4; after++) {
      const coded = Buffer.from(`${'u'.repeat(before)}${secret}${'v'.repeat(after)}`).toString('base64')
      const left = createMasker([secret]).mask(coded).split('***')
      expect(left.length).toBe(2)
      expect('dXV1dXV1'.startsWith(left[0] ?? ''), coded).toBe(true)
      expect((left[1] ?? '').length, coded).toBeLessThanOrEqual(Math.ceil((after * 8) / 6) + 2)
    }
})

const secretText = fc
  .string({ minLength: 8, maxLength: 24, unit: 'grapheme-ascii' })
  .filter(text => /[a-z]{3}/i.test(text) && text.trim() === text)

describe('no secret of the configuration', () => {
  it('appears in logs, errors, progress, summary, state or plan, whatever the API does with it', async () => {
    const server = await untilEnd(
      startApi((request, response) => {
        if (request.path === '/fail') {
          response.statusCode = 400
          return { echo: request.url, headers: request.headers, body: request.body }
        }
        return { rows: [{ id: 1 }], next: `fail${new URL(request.url, 'http://x').search}` }
      }),
    )
    await fc.assert(
      fc.asyncProperty(secretText, secretText, async (token, password) => {
        const settings = {
          api: {
            http: { headers: { 'X-Key': { function: 'base64_encode', args: [{ attr: '#token' }] } } },
            authentication: { type: 'query', query: { key: { attr: '#token' } } },
            pagination: { method: 'response.url', urlKey: 'next', includeParams: true },
          },
          config: {
            debug: true,
            '#token': token,
            '#password': password,
            jobs: [{ endpoint: 'items', params: { p: { attr: '#password' } } }],
          },
        }
        const seen: unknown[] = []
        const { error, logs } = await extractFrom(server.origin, {
          ...settings,
          options: { onProgress: progress => seen.push(progress) },
        })
        const output = [
          error?.message,
          error?.stack,
          JSON.stringify(error),
          logs.map(({ message, context }) => `${message} ${JSON.stringify(context)}`).join('\n'),
          JSON.stringify(seen),
        ].join('\n')
        expect(error?.message).toContain('[400]')
        for (const secret of [token, password]) {
          for (const form of [secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1)])
            expect(output).not.toContain(form)
        }
      }),
      { numRuns: runs(25) },
    )
  })
})
