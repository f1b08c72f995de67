import { createSecureServer, type Http2SecureServer } from 'node:http2'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { describe, expect, it } from 'vitest'
import { caCertificate, clientCertificate, serverCertificate, serverKey } from '#support/certificates.ts'
import { extractFrom, type Settings } from '../../run-extraction.ts'

const listening = async (server: Server | Http2SecureServer): Promise<string> => {
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as AddressInfo // a TCP server has one
  return `https://localhost:${port}`
}

const api = (over: object = {}): Settings => ({ api: { retryConfig: { maxRetries: 0 }, ...over } })
const keys = { key: serverKey, cert: serverCertificate }

describe('TLS', () => {
  it('trusts the configured authority, and without it refuses the certificate', async () => {
    const server = createServer(keys, (_, response) => response.end('[{"id":1}]'))
    const origin = await listening(server)
    const trusted = await extractFrom(origin, api({ caCertificate }))
    const refused = await extractFrom(origin, api())
    server.close()
    server.closeAllConnections()
    expect(trusted.tables['items']).toBe('"id"\n"1"\n')
    expect(refused.error?.message).toMatch(/^CURL error 60: SSL certificate problem/)
  })

  it('shows the client certificate', async () => {
    const server = createServer(
      { ...keys, ca: caCertificate, requestCert: true, rejectUnauthorized: true },
      (request, response) => {
        const { CN } = (request.socket as TLSSocket).getPeerCertificate().subject // an https server has TLS sockets
        response.end(JSON.stringify([{ CN }]))
      },
    )
    const origin = await listening(server)
    const shown = await extractFrom(origin, api({ caCertificate, '#clientCertificate': clientCertificate }))
    const missing = await extractFrom(origin, api({ caCertificate }))
    server.close()
    server.closeAllConnections()
    expect(shown.tables['items']).toBe('"CN"\n"client"\n')
    expect(missing.error?.message).toMatch(/^CURL error \d+: /)
    expect(JSON.stringify(shown.logs)).not.toContain('PRIVATE KEY')
  })

  it('speaks HTTP/2 where it is offered', async () => {
    const versions: string[] = []
    const server = createSecureServer({ ...keys, allowHTTP1: true }, (request, response) => {
      versions.push(request.httpVersion)
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify(versions.length > 3 ? [] : [{ id: versions.length }]))
    })
    const origin = await listening(server)
    const { tables, error } = await extractFrom(
      origin,
      api({ caCertificate, pagination: { method: 'pagenum' } }),
    )
    server.close()
    expect(error).toBeUndefined()
    expect(versions).toEqual(['2.0', '2.0', '2.0', '2.0'])
    expect(tables['items']).toBe('"id"\n"1"\n"2"\n"3"\n')
  })
})
