import type { AddressInfo } from 'node:net'
import { serve } from '@hono/node-server'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { MAX_GATEWAY_BODY_LENGTH } from '#functions/storage-api/gateway.ts'
import { throughGateway } from '#functions/storage-api/through-gateway.ts'

/** Answers with what it was asked. */
const echo = throughGateway({
  fetch: async request => {
    const { pathname, searchParams, origin } = new URL(request.url)
    const length = Number(searchParams.get('length') ?? 0)
    if (pathname === '/nothing') return new Response(null, { status: 204 })
    if (length > 0) return new Response('"'.repeat(length), { headers: { 'content-type': 'text/csv' } })
    return new Response(await request.arrayBuffer(), {
      headers: {
        'content-type': request.headers.get('content-type') ?? 'text/plain',
        'x-asked': `${request.method} ${origin}${pathname}`,
      },
    })
  },
})

let server: ReturnType<typeof serve>
let origin: string
beforeAll(async () => {
  await new Promise<void>(resolve => {
    server = serve({ fetch: echo.fetch, port: 0, hostname: '127.0.0.1' }, () => resolve())
  })
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}` // It listens at a port.
})
afterAll(async () => void server.close())

describe('the app through the gateway', () => {
  it.each([
    ['text/csv', 'a,b\n"ü",2\n'],
    ['application/json', '{"a":"ü"}'],
    ['application/x-www-form-urlencoded', 'a=%C3%BC&b=1+2'],
  ])('gets a body of %s and answers with it', async (type, body) => {
    const reply = await fetch(`${origin}/a%2Fb%25?x=1`, {
      method: 'POST',
      headers: { 'content-type': type },
      body,
    })
    expect([reply.headers.get('x-asked'), await reply.text()]).toEqual([`POST ${origin}/a%2Fb%25`, body])
  })

  it('gets bytes that are no text and answers with them', async () => {
    const bytes = Uint8Array.from({ length: 256 }, (_, index) => index)
    const reply = await fetch(origin, {
      method: 'PUT',
      headers: { 'content-type': 'image/png' },
      body: bytes,
    })
    expect(new Uint8Array(await reply.arrayBuffer())).toEqual(bytes)
  })

  it('answers without a body', async () => {
    const { status } = await fetch(`${origin}/nothing`)
    expect(status).toBe(204)
    const head = await fetch(origin, { method: 'HEAD' })
    expect([head.status, await head.text()]).toEqual([200, ''])
  })

  const large = 'x'.repeat(MAX_GATEWAY_BODY_LENGTH + 1)

  it.each<[string, string | ReadableStream]>([
    ['whose length is given', large],
    ['whose length is not given', new Blob([large]).stream()],
  ])('refuses a body that is too large for the gateway, and %s', async (_case, body) => {
    const init = { method: 'POST', headers: { 'content-type': 'text/csv' }, body, duplex: 'half' as const }
    const reply = await fetch(origin, init)
    expect([reply.status, await reply.json()]).toMatchObject([413, { code: 'storage.requestTooLarge' }])
  })

  it('refuses a reply that is too large for the gateway', async () => {
    const fits = await fetch(`${origin}/?length=1000000`)
    expect((await fits.text()).length).toBe(1_000_000)
    const reply = await fetch(`${origin}/?length=3000000`)
    expect([reply.status, await reply.json()]).toMatchObject([413, { code: 'storage.responseTooLarge' }])
  })
})
