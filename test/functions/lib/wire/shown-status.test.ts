import { expect, it } from 'vitest'
import { shownStatus } from '#lib/wire/run-body.ts'

const row = {
  id: null,
  name: 'Shop',
  status: 'success',
  tables: [],
  rowsLoaded: 1,
  requests: 1,
  seconds: 1,
  legs: 1,
  jobs: [],
}

it.each([
  ['success', { rows: [row] }, 'success'],
  ['success', { rows: [row, { ...row, warnings: ['More is there.'] }] }, 'warned'],
  ['error', { rows: [{ ...row, warnings: ['More is there.'] }] }, 'error'],
  ['processing', null, 'processing'],
  ['success', { anything: 1 }, 'success'],
] as const)('a run of status %s with %j is shown as %s', (status, results, shown) => {
  expect(shownStatus({ status, results })).toBe(shown)
})
