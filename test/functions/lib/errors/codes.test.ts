import { expect, it } from 'vitest'
import { foreignCode, foreignCodeOr } from '#lib/errors/codes.ts'
import { TransientError, UserError } from '#lib/errors/errors.ts'

it('an error takes a code of the catalogue, or one that came through the door for others', () => {
  // @ts-expect-error: not in the catalogue
  expect(new UserError('storage.tabels.notFound', 'Misspelt').status).toBe(400)
  // @ts-expect-error: a code of user errors
  expect(new TransientError('storage.tables.notFound', 'Never passes').code).toBe('storage.tables.notFound')
  // @ts-expect-error: a code of transient errors
  expect(new UserError('storage.tables.busy', 'Passes').code).toBe('storage.tables.busy')
  expect(new UserError(foreignCode('rowTooLarge'), 'Of another service').status).toBe(400)
})

it.each([
  ['rowTooLarge', 'rowTooLarge'],
  ['', 'storage.jobFailed'],
  [null, 'storage.jobFailed'],
  [undefined, 'storage.jobFailed'],
])('a job that failed with the code %o has %o', (given, expected) => {
  expect(foreignCodeOr(given, 'storage.jobFailed')).toBe(expected)
})
