import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { insteadOf } from '#functions/storage-api/routes/not-offered.ts'
import { apiCoverage } from '../tools/documents/api-coverage.ts'

it('docs/api-coverage.md is what the routes make of it (npm run api-coverage)', async () => {
  expect(await readFile(join(import.meta.dirname, '../../docs/api-coverage.md'), 'utf8')).toBe(apiCoverage())
})

/** The operations in this state. */
const operationsThatAre = (state: string): string[] =>
  apiCoverage()
    .split('\n')
    .filter(line => line.includes(`| ${state} |`))
    .map(line => line.split('`')[1] ?? '')

it('no operation that is known is missing', () => {
  expect(operationsThatAre('not built')).toEqual([])
})

it('what is refused is what is not offered', () => {
  const refused = operationsThatAre('refused (501)')
  const outside = refused.filter(operation => insteadOf(operation.replace(/^\S+ /, '')) === undefined)
  expect(outside).toEqual(['POST /v2/storage/tokens/{tokenId}/share'])
})
