import { expect, it } from 'vitest'
import { checkHost, guardedLookup } from '#lib/extractor/requests/http/address-guard.ts'

const lookup = (hostname: string, allowed: string[]): Promise<string> =>
  new Promise((resolve, reject) => {
    const resolver = async () => [{ address: '10.0.0.7', family: 4 }]
    guardedLookup(resolver, allowed)(hostname, {}, (error, address) =>
      error ? reject(error) : resolve(String(address)),
    )
  })

it('allows the private hosts that the operator listed, by address and by name', async () => {
  expect(() => checkHost('127.0.0.1', ['127.0.0.1'])).not.toThrow()
  expect(() => checkHost('[::1]', ['::1'])).not.toThrow()
  expect(await lookup('crm.internal', ['crm.internal'])).toBe('10.0.0.7')
})

it('an allowed host opens no other one', async () => {
  expect(() => checkHost('127.0.0.2', ['127.0.0.1'])).toThrow('not on the public internet')
  await expect(lookup('evil.internal', ['crm.internal'])).rejects.toThrow('not on the public internet')
})
