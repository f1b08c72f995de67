import { X509Certificate } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import type { LookupFunction } from 'node:net'
import { basename, join } from 'node:path'
import { Agent, request } from 'undici'
import { expect, it } from 'vitest'
import { ApiServer } from '#local/runtime/api/api-server.ts'
import { certificateFor } from '#local/runtime/api/certificate.ts'
import { type ConcurrencyPool, concurrencyPools } from '#local/runtime/lambda/concurrency-pool.ts'
import { eventually } from '#support/eventually.ts'
import { folderUntilEnd } from '#support/until-end.ts'

const folder = folderUntilEnd()

it('removes what a killed process left in its folder, and leaves nothing there itself', async () => {
  const temporaryRoot = join(folder, 'tmp-api')
  mkdirSync(join(temporaryRoot, 'api-killed'), { recursive: true })
  writeFileSync(join(temporaryRoot, 'api-killed', 'left'), 'over')
  const server = await ApiServer.listen({
    port: 0,
    host: '127.0.0.1',
    modulePath: join(import.meta.dirname, 'fixtures', 'flow.mjs'),
    exportName: 'handler',
    memoryMiB: 128,
    temporaryRoot,
    serveHost: () => {},
    functionLog: { write: () => {}, close: async () => {} },
    log: () => {},
  })
  try {
    expect(await readdir(temporaryRoot)).toEqual([expect.not.stringContaining('killed')])
  } finally {
    await server.close()
  }
  expect(await readdir(folder)).toEqual([])
})

/** Serves an app that says `here`. */
const listen = async (name: string, concurrency: ConcurrencyPool | undefined): Promise<ApiServer> => {
  const modulePath = join(folder, `${name}.mjs`)
  writeFileSync(modulePath, "export const answer = async () => ({ statusCode: 200, body: 'here' })")
  return ApiServer.listen({ ...optionsOf(modulePath), concurrency })
}

const optionsOf = (modulePath: string) => ({
  port: 0,
  host: '127.0.0.1',
  modulePath,
  exportName: 'handler',
  memoryMiB: 128,
  temporaryRoot: join(folder, `tmp-${basename(modulePath)}`),
  serveHost: () => {},
  functionLog: { write: () => {}, close: async () => {} },
  log: () => {},
})

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

/** What a line in the file of hosts does. */
const toThisMachine: LookupFunction = (_name, _options, answer) =>
  answer(null, [{ address: '127.0.0.1', family: 4 }])

it('answers with TLS under its name and those below it, by HTTP/2 and HTTP/1.1', async () => {
  const { certificate, key, file } = await certificateFor('millrace.test', folder)
  expect((await certificateFor('millrace.test', folder)).certificate).toBe(certificate)
  expect(new X509Certificate(certificate).checkHost('queue.millrace.test')).toBeDefined()
  const modulePath = join(folder, 'tls.mjs')
  writeFileSync(
    modulePath,
    "export const answer = async ({ headers: h }) => ({ statusCode: 200, body: h['x-forwarded-proto'] + ' ' + h.host })",
  )
  const server = await ApiServer.listen({
    ...optionsOf(modulePath),
    tls: { name: 'millrace.test', port: 0, certificate, key },
  })
  await server.load(async () => ({}))
  const ask = (name: string, allowH2: boolean) =>
    request(`https://${name}:${server.tlsPort}/`, {
      dispatcher: new Agent({
        allowH2,
        connect: { ca: certificate, servername: name, lookup: toThisMachine },
      }),
    })
  try {
    for (const isHttp2 of [true, false])
      for (const name of ['millrace.test', 'queue.millrace.test'])
        expect(await (await ask(name, isHttp2)).body.text()).toBe(`https ${name}:${server.tlsPort}`)
    expect(file).toBe(join(folder, 'tls', 'millrace.test.crt'))
  } finally {
    await server.close()
  }
})
