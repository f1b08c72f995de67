import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createMasker } from '#lib/extractor/masking/masker.ts'
import { secretsOf } from '#lib/extractor/masking/secrets-of.ts'
import { describePlan } from '#lib/extractor/runner/describe-plan.ts'
import { runs } from '#support/thorough.ts'
import { untilEnd } from '#support/until-end.ts'
import { startApi } from '../api-server.ts'
import { configuration, extractFrom } from '../run-extraction.ts'

describe('the masker', () => {
  it.each([
    ['as it is', 'a token pä$$/w rd here'],
    ['in a query', `?k=${encodeURIComponent('pä$$/w rd')}`],
    ['form encoded', `?k=${new URLSearchParams({ k: 'pä$$/w rd' }).toString()}`],
    ['in base64', Buffer.from('pä$$/w rd').toString('base64')],
    ['in JSON', JSON.stringify({ k: 'pä$$/w rd' }).replace('/', '\\/')],
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
        const plan = await describePlan({ config: configuration(server.origin, settings), now: () => 0 })
        const output = [
          error?.message,
          error?.stack,
          JSON.stringify(error),
          logs.map(({ message, context }) => `${message} ${JSON.stringify(context)}`).join('\n'),
          JSON.stringify(seen),
          plan,
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
