import { once } from 'node:events'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, it } from 'vitest'
import { type EmbeddedCloud, startEmbeddedCloud } from '#local/runtime/embedded-cloud.ts'
import { folderUntilEnd } from '#support/until-end.ts'
import { send, sign } from '../s3/raw-client.ts'
import { writeFlowBundles } from './flow-bundles.ts'

const folder = folderUntilEnd()

/** A request that the server has taken, as its `100 Continue` says, and whose body is half sent; `finish` sends the rest. */
const startUpload = async (
  url: string,
  { method, headers }: { method: string; headers?: Record<string, string> },
) => {
  const request = httpRequest(url, { method, headers: { ...headers, expect: '100-continue' }, agent: false })
  const answered = once(request, 'response') as Promise<[IncomingMessage]>
  answered.catch(() => {}) // Awaited when the body has been sent.
  request.flushHeaders()
  await once(request, 'continue')
  await new Promise<void>((resolve, reject) => {
    request.once('error', reject)
    request.write('half', () => resolve())
  })
  return {
    finish: async () => {
      request.end('half')
      const [response] = await answered
      return { status: response.statusCode, headers: response.headers, body: await text(response) }
    },
  }
}

const countOf = async (cloud: EmbeddedCloud, pk: string) => {
  const { ItemTable = '' } = cloud.describeOutputs()
  return (await cloud.items(ItemTable).get({ pk, sk: 'item' }))?.['characters']
}

it('finishes open requests, refuses new ones, and leaves started jobs to the next start', async () => {
  const dataDir = join(folder, 'data')
  const bundles = await writeFlowBundles(join(folder, 'assembly'))
  const first = await startEmbeddedCloud({ dataDir, bundles })
  const put = (key: string) => ({
    method: 'PUT',
    path: `/${first.landingBucket}/${key}`,
    headers: { 'content-length': '8' },
  })
  const signed = (key: string) =>
    sign(first.s3, put(key), { credentials: first, payload: 'UNSIGNED-PAYLOAD' }).request

  const echo = await startUpload(`${first.api}/echo`, { method: 'POST' })
  const { path, ...upload } = signed('last.txt')
  const object = await startUpload(`${first.s3}${path}`, upload)
  await expect.poll(async () => (await send(first.api, { method: 'GET', path: '/up' })).status).toBe(200)

  const closed = first.close()
  const newRequest = () => send(first.api, { method: 'GET', path: '/late' })
  await expect.poll(async () => (await newRequest()).status).toBe(503)
  const refused = await newRequest()
  expect(refused.headers).toMatchObject({ connection: 'close', 'retry-after': '5' })
  expect(JSON.parse(refused.body)).toMatchObject({ code: 'service.stopping', status: 'error' })
  const refusedObject = await send(first.s3, { ...signed('late.txt'), body: 'halfhalf' })
  expect(refusedObject).toMatchObject({ status: 503, headers: { connection: 'close' } })

  expect(await object.finish()).toMatchObject({ status: 200, headers: { connection: 'close' } })
  expect(await echo.finish()).toMatchObject({ status: 200, body: 'halfhalf' })
  await closed

  const second = await startEmbeddedCloud({ dataDir, bundles })
  try {
    await expect.poll(() => countOf(second, 'last.txt')).toBe(8)
    expect(await countOf(second, 'late.txt')).toBeUndefined()
  } finally {
    await second.close()
  }
})

it('cuts off requests that take longer than the grace', async () => {
  const dataDir = join(folder, 'cut')
  const bundles = await writeFlowBundles(join(folder, 'assembly-2'))
  const cloud = await startEmbeddedCloud({ dataDir, bundles })
  const echo = await startUpload(`${cloud.api}/echo`, { method: 'POST' })
  const machineArn = cloud.describeOutputs()['ImportMachineArn'] ?? ''
  await cloud.host.machines.start({ machineArn, name: 'long', input: { do: 'wait', ms: 600_000 } })
  await cloud.close()
  await expect(echo.finish()).rejects.toMatchObject({ code: expect.stringMatching(/ECONNRESET|EPIPE/) })
})
