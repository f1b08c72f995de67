import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it } from 'vitest'
import { startCloud } from '#support/start-cloud.ts'
import { startApi } from '../functions/lib/extractor/api-server.ts'
import { hasEnded, poll } from '../support/poll.ts'
import { folderUntilEnd, untilEnd } from '../support/until-end.ts'

const cloud = await untilEnd(startCloud({ dataDir: folderUntilEnd() }))
const prompt = await untilEnd(startApi(() => [{ id: 1 }]))
const held: string[] = []
const silent = await untilEnd(createServer(({ url = '' }) => void held.push(url)))
await new Promise<void>(resolve => silent.listen(0, '127.0.0.1', resolve))
// A server that listens on TCP has an address of this kind.
const silentOrigin = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`

const call = async (method: string, path: string, body: object | undefined, token: string) => {
  const response = await fetch(`${cloud.api}/v2/storage/${path}`, {
    method,
    headers: { 'X-StorageApi-Token': token, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`)
  return JSON.parse(text)
}

const CONFIGS = 'components/ex-generic-v2/configs'

const start = async (configurationId: string, origin: string, token: string) => {
  const config = { outputBucket: configurationId, jobs: [{ endpoint: configurationId }] }
  const configuration = { parameters: { api: { baseUrl: `${origin}/` }, config } }
  await call('POST', CONFIGS, { configurationId, name: configurationId, configuration }, token)
  const { id } = await call('POST', `${CONFIGS}/${configurationId}/run`, undefined, token)
  return () => poll(() => call('GET', `jobs/${id}`, undefined, token), hasEnded)
}

it('four runs of one token whose API never answers keep nobody else from running', async () => {
  const rights = { componentAccess: ['ex-generic-v2'], canManageBuckets: true }
  const [one, other] = await Promise.all(
    ['one', 'other'].map(async description =>
      String((await call('POST', 'tokens', { description, ...rights }, cloud.token ?? '')).token),
    ),
  )
  for (const name of ['hung1', 'hung2', 'hung3', 'hung4']) await start(name, silentOrigin, one ?? '')
  await poll(
    async () => held.length,
    count => count === 2,
  )
  expect((await (await start('quick', prompt.origin, other ?? ''))()).status).toBe('success')
  expect((await (await start('own', prompt.origin, cloud.token ?? ''))()).status).toBe('success')
  expect(held.length).toBe(2)
})
