import { X509Certificate } from 'node:crypto'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import type { LookupFunction } from 'node:net'
import { join } from 'node:path'
import { Agent, request } from 'undici'
import { expect, it } from 'vitest'
import { ApiServer } from '#local/runtime/api/api-server.ts'
import { certificateFor } from '#local/runtime/api/certificate.ts'
import { folderUntilEnd } from '#support/until-end.ts'
import { apiOptions } from './api-options.ts'
import { writeBundle } from './flow-bundles.ts'

const folder = folderUntilEnd()

it('removes what a killed process left in its folder, and leaves nothing there itself', async () => {
  const options = apiOptions(await writeBundle(join(folder, 'bundles', 'x'), 'flow.mjs'))
  mkdirSync(options.temporary, { recursive: true })
  writeFileSync(join(options.temporary, 'left'), 'over')
  const server = await ApiServer.listen(options)
  expect(await readdir(options.temporary).finally(() => server.close())).toEqual([])
  expect(existsSync(options.temporary)).toBe(false)
})

it('leaves no thread when its port is taken', async () => {
  const options = apiOptions(await writeBundle(join(folder, 'bundles', 'y'), 'flow.mjs'))
  const server = await ApiServer.listen(options)
  const { port } = server.ports
  const second = ApiServer.listen({ ...options, port, temporary: join(folder, 'tmp-second') })
  await expect(second.finally(() => server.close())).rejects.toMatchObject({ code: 'EADDRINUSE' })
  expect(existsSync(join(folder, 'tmp-second'))).toBe(false)
})

/** What a line in the file of hosts does. */
const toThisMachine: LookupFunction = (_name, _options, answer) =>
  answer(null, [{ address: '127.0.0.1', family: 4 }])

it('answers with TLS under its name and those below it, by HTTP/2 and HTTP/1.1', async () => {
  const { certificate, key, file } = await certificateFor('millrace.test', folder)
  expect((await certificateFor('millrace.test', folder)).certificate).toBe(certificate)
  expect(new X509Certificate(certificate).checkHost('queue.millrace.test')).toBeDefined()
  const codeFolder = join(folder, 'serves-tls')
  mkdirSync(codeFolder)
  writeFileSync(
    join(codeFolder, 'index.mjs'),
    "export const answer = async ({ headers: h }) => ({ statusCode: 200, body: h['x-forwarded-proto'] + ' ' + h.host })",
  )
  const server = await ApiServer.listen({
    ...apiOptions(codeFolder),
    tls: { name: 'millrace.test', port: 0, certificate, key },
  })
  await server.load({})
  const ask = (name: string, allowH2: boolean) =>
    request(`https://${name}:${server.ports.tlsPort}/`, {
      dispatcher: new Agent({
        allowH2,
        connect: { ca: certificate, servername: name, lookup: toThisMachine },
      }),
    })
  try {
    for (const isHttp2 of [true, false])
      for (const name of ['millrace.test', 'queue.millrace.test'])
        expect(await (await ask(name, isHttp2)).body.text()).toBe(`https ${name}:${server.ports.tlsPort}`)
    expect(file).toBe(join(folder, 'tls', 'millrace.test.crt'))
  } finally {
    await server.close()
  }
})
