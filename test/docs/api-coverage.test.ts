import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
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

it('only workspaces, sharing between projects and mail are refused', () => {
  const refused = operationsThatAre('refused (501)')
  expect(refused).toContain('POST /v2/storage/workspaces')
  const outside = /\/workspaces|\/buckets\/\{bucketId\}\/(share|links)|\/tokens\/\{tokenId\}\/share$/
  expect(refused.filter(operation => !outside.test(operation))).toEqual([])
})
