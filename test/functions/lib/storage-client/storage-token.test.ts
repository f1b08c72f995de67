import { describe, expect, it } from 'vitest'
import { readStorageToken } from '#lib/storage-client/storage-token.ts'

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
