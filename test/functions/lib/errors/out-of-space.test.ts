import { describe, expect, it } from 'vitest'
import { asTransient } from '#lib/errors/as-transient.ts'
import { TransientError, UserError } from '#lib/errors/errors.ts'
import { OUT_OF_SPACE } from '#lib/errors/out-of-space.ts'

const named = (message: string, facts: object = {}) => Object.assign(new Error(message), facts)

describe('a full disk', () => {
  it.each([
    ['of the system', named('write', { code: 'ENOSPC' })],
    ['of a quota', named('write', { code: 'EDQUOT' })],
    ['under SQLite', named('database or disk is full', { errcode: 13 })],
    ['under DuckDB', named('IO Error: Could not write file "/tmp/x.parquet": No space left on device')],
    [
      'under DuckDB’s temporary files',
      named(
        'Out of Memory Error: failed to offload data block of size 256.0 KiB (3.5 MiB/3.5 MiB used).\n' +
          "This limit was set by the 'max_temp_directory_size' setting.",
      ),
    ],
    ['of another service', named(OUT_OF_SPACE, { name: 'InsufficientStorage' })],
    ['behind another error', new Error('the load failed', { cause: named('write', { code: 'ENOSPC' }) })],
  ])('%s passes, and is told in a sentence', (_where, error) => {
    expect(asTransient(error)).toBeInstanceOf(TransientError)
    expect(asTransient(error)).toMatchObject({ code: 'storage.outOfSpace', message: OUT_OF_SPACE })
  })

  it.each([
    ['a mistake that quotes one', new UserError('storage.validation', 'IO error: No space left on device')],
    ['an answer of a stranger', named('The API answered: "No space left on device"')],
    ['anything else', named('no')],
  ])('is not: %s', (_what, error) => expect(asTransient(error)).toBe(error))
})
