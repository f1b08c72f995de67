import { describe, expect, it } from 'vitest'
import { readRequestPath } from '#functions/storage-api/http/request-path.ts'

describe('readRequestPath', () => {
  it.each([
    ['/v2/storage/buckets', '/v2/storage/buckets', undefined],
    ['/v2/storage/buckets/', '/v2/storage/buckets', undefined],
    ['/v2/storage/', '/v2/storage', undefined],
    ['/v2/storage/branch/default/buckets/in.c-a', '/v2/storage/buckets/in.c-a', 'default'],
    ['/v2/storage/branch/12/files/', '/v2/storage/files', '12'],
    ['/v2/storage/branch/default', '/v2/storage/branch/default', undefined],
    ['/', '/', undefined],
    ['/v2/storage//buckets', '/-/not-found', undefined],
    ['/v2/storage/buckets//', '/-/not-found', undefined],
  ])('reads %s', (pathname, path, branch) => {
    expect(readRequestPath(pathname)).toEqual({ path, branch })
  })
})
