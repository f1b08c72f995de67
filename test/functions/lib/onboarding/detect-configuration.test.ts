import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { checkConfiguration } from '#lib/extractor/run/check-configuration.ts'
import { extract } from '#lib/extractor/run/extract.ts'
import { detectConfiguration } from '#lib/onboarding/detect-configuration.ts'
import { readCurl } from '#lib/onboarding/read-curl.ts'
import { type Answer, startApi } from '../extractor/api-server.ts'
import { readTables, rowCount } from '../extractor/run-extraction.ts'
import { pagedApis } from './paged-apis.ts'

/** What is made of a command, how many requests that took, and the rows that a run with it then reads. */
const detect = async (answer: Answer, path: string, options = '') => {
  const api = await startApi(answer)
  const folder = mkdtempSync(join(tmpdir(), 'detect-'))
  try {
    const command = readCurl(`curl ${options} '${api.origin}${path}'`)
    const { draft } = await detectConfiguration({ ...command, folder: join(folder, 'detect') })
    const asked = [...api.requests]
    const outDir = join(folder, 'out')
    expect(checkConfiguration({ ...draft })).toBeUndefined()
    const result = await extract({
      config: JSON.parse(JSON.stringify(draft)),
      outDir,
      spoolDir: join(folder, 'spool'),
    })
    const tables = readTables(outDir)
    const warnings = result.finished ? result.warnings : []
    return { ...draft.parameters, asked, tables, warnings, job: draft.parameters.config.jobs[0] ?? {} }
  } finally {
    await api.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

describe('pages are found and proven by the second request', () => {
  it.each(Object.entries(pagedApis))('%s', async (_, { answer, path, pagination }) => {
    const { api, asked, tables, warnings } = await detect(answer, path)
    expect(api['pagination']).toMatchObject(pagination)
    expect(JSON.stringify(api['pagination'])).toContain('Proven by a second request: 2 other rows.')
    expect(asked).toHaveLength(2)
    expect(Object.values(tables).map(rowCount)).toEqual([5])
    expect(warnings).toEqual([])
  })

  it('begins at the first page whatever page the command asks for', async () => {
    const { answer } = pagedApis['page numbers'] ?? { answer: () => [] }
    const { api, asked, tables } = await detect(answer, '/customers?page=3&per_page=2')
    expect(asked[0]?.query.get('page')).toBe('1')
    expect(JSON.stringify(api)).toContain('page=3: the extraction begins at 1.')
    expect(Object.values(tables).map(rowCount)).toEqual([5])
  })

  it.each([
    ['the parameter changes nothing', () => [{ id: 1 }, { id: 2 }], /brought the same rows/],
    [
      'the second page is an error',
      ({ query }: Parameters<Answer>[0], response: Parameters<Answer>[1]) => {
        if (query.has('page')) response.statusCode = 400
        return [{ id: 1 }]
      },
      /The second request failed: status 400/,
    ],
  ])('has none when %s', async (_, answer, why) => {
    const { api, asked, tables } = await detect(answer, '/items')
    expect(asked).toHaveLength(2)
    expect(api['pagination']).toBeUndefined()
    expect(JSON.stringify(api['__why'])).toMatch(why)
    expect(Object.keys(tables)).toHaveLength(1)
  })

  it('asks once where the answer is one row', async () => {
    const { asked, job, tables } = await detect(() => ({ id: 1, name: 'me' }), '/me')
    expect(asked).toHaveLength(1)
    expect(job['dataField']).toBe('.')
    expect(Object.values(tables).map(rowCount)).toEqual([1])
  })

  it('takes JSON only', async () => {
    const answer: Answer = (_, response) => void response.end('id;name')
    await expect(detect(answer, '/export')).rejects.toThrow('The answer is no JSON')
  })
})

describe('what it finds beside the pages', () => {
  it.each([
    ['-u me:pa55word', '/', { type: 'basic' }, { username: 'me', '#password': 'pa55word' }],
    [
      "-H 'Authorization: Bearer s3cr3t-token'",
      '/',
      { type: 'apiKey', in: 'header', name: 'Authorization', prefix: 'Bearer ' },
      { '#token': 's3cr3t-token' },
    ],
    [
      "-H 'x-api-key: s3cr3t-key'",
      '/',
      { type: 'apiKey', in: 'header', name: 'x-api-key' },
      { '#api_key': 's3cr3t-key' },
    ],
    [
      '',
      '/?api_key=s3cr3t-key',
      { type: 'apiKey', in: 'query', name: 'api_key' },
      { '#api_key': 's3cr3t-key' },
    ],
    [
      "-b 'session=s3cr3t-cookie'",
      '/',
      { type: 'apiKey', in: 'cookie', name: 'session' },
      { '#token': 's3cr3t-cookie' },
    ],
    [
      "-H 'X-Account: 3f8a9c0d7e6b5a4f3e2d1c0b9a8f7e6d'",
      '/',
      { type: 'apiKey', in: 'header', name: 'X-Account' },
      { '#Account': '3f8a9c0d7e6b5a4f3e2d1c0b9a8f7e6d' },
    ],
  ])('credentials: %s %s', async (options, path, authentication, attributes) => {
    const { api, config, asked } = await detect(() => [{ id: 1 }], path, options)
    expect(api['authentication']).toMatchObject(authentication)
    expect(config).toMatchObject(attributes)
    // Each of both requests is made by the configuration itself, so it carried them
    const sent = JSON.stringify(asked.map(({ url, headers }) => ({ url, headers })))
    for (const value of Object.values(attributes))
      expect(sent).toContain(
        value === 'me' || value === 'pa55word' ? Buffer.from('me:pa55word').toString('base64') : value,
      )
    const { '#password': _, '#token': __, ...shown } = config
    for (const secret of ['pa55word', 's3cr3t-token', 's3cr3t-cookie'])
      expect(JSON.stringify([api, shown])).not.toContain(secret)
  })

  it('a second secret stays where it is sent, as an expression', async () => {
    const { api, config } = await detect(
      () => [{ id: 1 }],
      '/',
      "-u me:pw12 -H 'X-App-Token: t0ken' -H 'Sec-Fetch-Mode: cors'",
    )
    expect(api['http']).toEqual({ headers: { 'X-App-Token': { attr: '#App_Token' } } })
    expect(config['#App_Token']).toBe('t0ken')
    expect(JSON.stringify(api['__why'])).toContain('Headers that browsers add: Sec-Fetch-Mode.')
  })
})
