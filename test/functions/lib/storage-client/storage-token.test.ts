import { describe, expect, it } from 'vitest'
import { createFetchToken, readStorageToken } from '#lib/storage-client/storage-token.ts'

describe('readStorageToken', () => {
  it.each([
    ['a plain token', '1-2-abc', '1-2-abc'],
    ['a plain token with a line end', '1-2-abc\n', '1-2-abc'],
    ['the generated form', '{"projectId":"1","tokenId":"2","secret":"abc"}', '1-2-abc'],
    ['numbers in the generated form', '{"projectId":1,"tokenId":2,"secret":"abc"}', '1-2-abc'],
  ])('reads %s', (_what, secret, token) => {
    expect(readStorageToken(secret)).toBe(token)
  })

  it.each(['', '  ', '{"secret":"abc"}', '{"projectId":"1","tokenId":"2","secret":"hidden'])(
    'refuses %j',
    secret => {
      expect(() => readStorageToken(secret)).toThrow('secret of the storage token')
    },
  )

  it('does not show the secret in its error', () => {
    const refuse = () => readStorageToken('{"password":"hunter2"')
    expect(refuse).toThrow()
    expect(refuse).not.toThrow('hunter2')
  })
})

describe('fetching the token', () => {
  it('keeps the token, and reads it at once when the service refuses it, however early', async () => {
    const secrets = ['1-2-first', '1-2-second']
    const readSecret = async () => ({ text: secrets.shift() ?? '', createdAt: 0 })
    const fetch = createFetchToken('arn:of-this-test', readSecret, () => 0)
    const fetchToken = (isRefused: boolean) => fetch({ isRefused })
    expect(await fetchToken(false)).toBe('1-2-first')
    expect(await fetchToken(false)).toBe('1-2-first')
    expect(await fetchToken(true)).toBe('1-2-second')
    expect(await fetchToken(false)).toBe('1-2-second')
  })
})
