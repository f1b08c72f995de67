import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { startCloud } from '#support/start-cloud.ts'
import { startApi } from '../functions/lib/extractor/api-server.ts'
import { eventually } from '../support/eventually.ts'
import { hasEnded, poll } from '../support/poll.ts'
import { folderUntilEnd, untilEnd } from '../support/until-end.ts'

/** The server to which an attacker tries to send data. */

const dataDir = folderUntilEnd()
const cloud = await untilEnd(startCloud({ dataDir }))
const outside = await untilEnd(startApi(() => [{ id: 1 }]))

const call = async (method: string, path: string, body?: unknown, token = cloud.token ?? '') => {
  const response = await fetch(`${cloud.api}/v2/storage/${path}`, {
    method,
    headers: { 'X-StorageApi-Token': token, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`)
  return text === '' ? undefined : JSON.parse(text)
}

const CONFIGS = 'components/ex-generic-v2/configs'

const run = async (configId: string, token?: string) => {
  const { id } = await call('POST', `${CONFIGS}/${configId}/run`, undefined, token)
  return poll(() => call('GET', `jobs/${id}`, undefined, token), hasEnded)
}

const configuration = (config: object, more: object = {}) => ({
  parameters: {
    api: { baseUrl: `${outside.origin}/` },
    config: { outputBucket: 'shop', jobs: [{ endpoint: 'items' }], ...config },
  },
  ...more,
})

const createConfig = (id: string, settings: object, token?: string) =>
  call('POST', CONFIGS, { configurationId: id, name: id, ...settings }, token)

/** What each file holds. Looks again when one has gone in between: the cloud is at work. */
const textsBelow = (folder: string): Promise<[file: string, text: string][]> =>
  eventually(async () => {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true })
    const files = entries.filter(entry => entry.isFile()).map(entry => join(entry.parentPath, entry.name))
    const texts: [file: string, text: string][] = []
    for (const file of files) texts.push([file, await readFile(file, 'latin1')])
    return texts
  })

it('a run by a token with few rights reads no other table, opens no other secret, and leaves no token behind', async () => {
  const secret = { authentication: { type: 'query', query: { key: { attr: '#key' } } } }
  const withKey = (key: string) => {
    const given = configuration({ '#key': key })
    return { parameters: { ...given.parameters, api: { ...given.parameters.api, ...secret } } }
  }
  await createConfig('shop', { configuration: withKey('open sesame') })
  expect((await run('shop')).status).toBe('success')
  expect(outside.requests.at(-1)?.query.get('key')).toBe('open sesame')
  const asked = outside.requests.length

  const { token } = await call('POST', 'tokens', { componentAccess: ['ex-generic-v2'] })
  // Another token's table, sent row by row to the attacker's server.
  const input = { storage: { input: { tables: [{ source: 'in.c-shop.items', destination: 'a.csv' }] } } }
  await createConfig('reader', { configuration: configuration({}, input) }, token)
  expect((await run('reader', token)).error).toMatchObject({
    code: 'accessDenied',
    message: expect.stringContaining('in.c-shop.items'),
  })
  // The sealed secret of another configuration, pasted.
  const shown = (await call('GET', `${CONFIGS}/shop`, undefined, token)).configuration
  await createConfig('paster', { configuration: shown }, token)
  expect((await run('paster', token)).error).toMatchObject({ code: 'secrets.notOpened' })
  expect(outside.requests.length).toBe(asked)

  // A copy that the service makes still opens.
  const { id } = await call('POST', `${CONFIGS}/shop/versions/1/create`, { name: 'copy' })
  expect((await run(id)).status).toBe('success')
  expect(outside.requests.at(-1)?.query.get('key')).toBe('open sesame')

  expect(
    (await call('GET', 'tokens')).map(({ description }: { description: string }) => description),
  ).toEqual(['Master token', 'Created by Master token'])
  const texts = await textsBelow(dataDir)
  expect(texts.length).toBeGreaterThan(20)
  for (const [file, text] of texts)
    expect([file, /\b1-\d{13,16}-[0-9a-f]{48}\b/.test(text)]).toEqual([file, false])
})
