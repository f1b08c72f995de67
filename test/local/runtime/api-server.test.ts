import { mkdirSync, writeFileSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { ApiServer } from '#local/runtime/api/api-server.ts'
import { type ConcurrencyPool, concurrencyPools } from '#local/runtime/lambda/concurrency-pool.ts'
import { eventually } from '#support/eventually.ts'
import { temporaryFolder } from './temporary-folder.ts'

const folder = temporaryFolder()
afterAll(() => folder.remove())

it('removes what a killed process left in its folder, and leaves nothing there itself', async () => {
  const temporaryRoot = join(folder.path, 'tmp-api')
  mkdirSync(join(temporaryRoot, 'api-killed'), { recursive: true })
  writeFileSync(join(temporaryRoot, 'api-killed', 'left'), 'over')
  const server = await ApiServer.listen({
    port: 0,
    host: '127.0.0.1',
    modulePath: join(import.meta.dirname, 'fixtures', 'flow.mjs'),
    exportName: 'handler',
    memoryMiB: 128,
    temporaryRoot,
    functionLog: { write: () => {}, close: async () => {} },
    log: () => {},
  })
  try {
    expect(await readdir(temporaryRoot)).toEqual([expect.not.stringContaining('killed')])
  } finally {
    await server.close()
  }
  expect(await readdir(folder.path)).toEqual([])
})

/** Serves an app that says `here`. */
const listen = async (name: string, concurrency: ConcurrencyPool | undefined): Promise<ApiServer> => {
  const modulePath = join(folder.path, `${name}.mjs`)
  writeFileSync(modulePath, "export const answer = async () => ({ statusCode: 200, body: 'here' })")
  return ApiServer.listen({
    port: 0,
    host: '127.0.0.1',
    modulePath,
    exportName: 'handler',
    memoryMiB: 128,
    temporaryRoot: join(folder.path, `tmp-${name}`),
    functionLog: { write: () => {}, close: async () => {} },
    log: () => {},
    concurrency,
  })
}

const ask = ({ port }: ApiServer) => fetch(`http://127.0.0.1:${port}/`)

const takenPlaces = (pool: ConcurrencyPool | undefined): number | undefined =>
  pool && new Int32Array(pool.counter)[0]

const throttled = [503, { message: 'Service Unavailable' }]

it('answers 503, as the gateway does, while the function has no place for another request', async () => {
  const one = concurrencyPools([{ arn: 'api', reservedConcurrency: 1 }], 1000).get('api')
  const server = await listen('throttled', one)
  try {
    // Waits: the bundle is not loaded. It takes the one place, which its end gives back.
    const first = ask(server)
    await eventually(() => expect(takenPlaces(one)).toBe(1))
    const answer = await ask(server)
    expect([answer.status, await answer.json()]).toEqual(throttled)
    await server.load(async () => ({}))
    expect((await first).status).toBe(200)
    await eventually(async () => expect((await ask(server)).status).toBe(200))
  } finally {
    await server.close()
  }
})
