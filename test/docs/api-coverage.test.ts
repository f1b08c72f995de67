import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { apiCoverage } from './api-coverage.ts'

it('docs/api-coverage.md is what the routes make of it (npm run api-coverage)', async () => {
  expect(await readFile(join(import.meta.dirname, '../../docs/api-coverage.md'), 'utf8')).toBe(apiCoverage())
})

it('no operation that is known is missing but the one of another cloud', () => {
  const missing = apiCoverage()
    .split('\n')
    .filter(line => line.includes('| not built |'))
  expect(missing).toEqual([expect.stringContaining('PUT /v2/storage/files/{fileId}/refresh')])
})
