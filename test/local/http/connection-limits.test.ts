import { writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import type { ConnectionLimits } from '#local/http/limited-server.ts'
import { closeServer, listen } from '#local/http/listening.ts'
import { ApiServer } from '#local/runtime/api/api-server.ts'
import { controlServer } from '#local/runtime/control.ts'
import { startTestS3 } from '../../support/embedded-s3.ts'
import { apiOptions } from '../runtime/api-options.ts'
import { temporaryFolder } from '../runtime/temporary-folder.ts'
import { sign } from '../s3/raw-client.ts'

const folder = temporaryFolder()
const limits = { headersMs: 200, unidentifiedMs: 200 }
/** For what is to be known within the limit: a busy machine takes its time to read the headers. */
const patient = { headersMs: 2_000, unidentifiedMs: 2_000 }

const stops: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop()
})
afterAll(() => folder.remove())

const startS3 = async (limits: ConnectionLimits) => {
  const s3 = await startTestS3({ limits })
  stops.push(s3.close)
  await s3.s3.createBucket('box')
  return s3.s3.endpoint
}

const startControl = async (limits: ConnectionLimits) => {
  const server = controlServer(new Promise(() => {}), { secretAccessKey: 'secret', log: () => {}, limits })
  stops.push(() => closeServer(server))
  return `http://127.0.0.1:${await listen(server)}`
}

/** An API that refuses everybody. */
const startApi = async (limits: ConnectionLimits) => {
  await writeFile(
    join(folder.path, 'index.mjs'),
    `export const answer = async () => ({ statusCode: 401, body: 'no' })`,
  )
  const api = await ApiServer.listen({ ...apiOptions(folder.path), limits })
  stops.push(() => api.close())
  await api.load({})
  return `http://127.0.0.1:${api.ports.port}`
}

/** Sends what is given and no more; gives what the server says until it hangs up. */
const sendPart = (endpoint: string, part: string) => {
  const { hostname, port } = new URL(endpoint)
  const socket = connect(Number(port), hostname, () => socket.write(part))
  return text(socket)
}

const halfHeaders = 'PUT /box/key HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Ha'
const halfBody =
  'POST /box/key HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 1000\r\n\r\nhalf'

describe('a connection whose caller is not known', () => {
  it.each([
    ['S3', startS3],
    ['the API', startApi],
    ['the port of commands', startControl],
  ])('is closed by %s when its headers never end', async (_server, start) => {
    expect(await sendPart(await start(limits), halfHeaders)).toMatch(/^HTTP\/1.1 408 /)
  })

  it.each([
    ['S3', startS3, patient, 'HTTP/1.1 403 '],
    ['the API', startApi, limits, 'HTTP/1.1 408 '],
    ['the port of commands', startControl, patient, 'HTTP/1.1 403 '],
  ])('is closed by %s when its body never ends', async (_server, start, limits, answer) => {
    expect((await sendPart(await start(limits), halfBody)).slice(0, answer.length)).toBe(answer)
  })
})

it('may stay open longer once the caller is known', async () => {
  const endpoint = await startS3(patient)
  const { request } = sign(
    endpoint,
    { method: 'PUT', path: '/box/slow', headers: { 'content-length': '8' } },
    { payload: 'UNSIGNED-PAYLOAD' },
  )
  const lines = Object.entries(request.headers ?? {}).map(([name, value]) => `${name}: ${value}\r\n`)
  const { hostname, port } = new URL(endpoint)
  const socket = connect(Number(port), hostname, () =>
    socket.write(`PUT /box/slow HTTP/1.1\r\nConnection: close\r\n${lines.join('')}\r\nhalf`),
  )
  // By the time that this later one is closed, the limit is over for both.
  await sendPart(endpoint, halfBody)
  socket.write('half')
  expect(await text(socket)).toMatch(/^HTTP\/1.1 200 /)
})
