import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { apiCoverage } from './api-coverage.ts'

test('docs/api-coverage.md is what the routes make of it (npm run api-coverage)', async () => {
  expect(await readFile(join(import.meta.dirname, '../../docs/api-coverage.md'), 'utf8')).toBe(apiCoverage())
})

test('no operation that is known is missing but the one of another cloud', () => {
  const missing = apiCoverage()
    .split('\n')
    .filter(line => line.includes('| not built |'))
  expect(missing).toEqual([expect.stringContaining('PUT /v2/storage/files/{fileId}/refresh')])
})
