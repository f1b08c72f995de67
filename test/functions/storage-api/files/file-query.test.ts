import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseFileQuery } from '#functions/storage-api/files/files.ts'
import { newFileRecord } from '#functions/storage-api/services/file-access.ts'
import { UserError } from '#lib/errors/errors.ts'
import type { FileRecord } from '#lib/storage/files/file-store.ts'

const file: FileRecord = newFileRecord(
  42,
  {
    name: 'Orders 2026.csv',
    sizeBytes: 10,
    contentType: 'text/csv',
    isPublic: false,
    isPermanent: false,
    isEncrypted: true,
    isSliced: true,
    tags: ['daily', 'shop: eu'],
    runId: '7.8',
    creatorToken: { id: '1', description: 'test' },
  },
  { projectId: 1, now: new Date('2026-07-16T00:00:00Z') },
)

describe('parseFileQuery', () => {
  it.each([
    ['', true],
    ['orders', true],
    ['invoices', false],
    ['id:42', true],
    ['id:4', false],
    ['name:Orders*', true],
    ['name:"Orders 2026.csv"', true],
    ['name:*.c?v', true],
    ['name:*.tsv', false],
    ['tags:daily', true],
    ['tags:"shop: eu"', true],
    ['tags:"daily" AND tags:"shop: eu"', true],
    ['tags:daily AND tags:weekly', false],
    ['tags:daily tags:weekly', false],
    ['tags:weekly OR tags:daily', true],
    ['tags:weekly OR id:42 AND isSliced:true', true],
    ['(tags:weekly OR id:42) AND isSliced:false', false],
    ['NOT tags:weekly', true],
    ['NOT (tags:daily OR id:1)', false],
    ['tags:daily && !tags:weekly', true],
    ['tags:weekly || tags:daily', true],
    ['+tags:daily -tags:weekly', true],
    ['-(tags:daily OR id:1)', false],
    ['tags:daily -id:42', false],
    ['runId:7.8', true],
    ['isEncrypted:true', true],
  ])('%j finds the file: %s', (query, isFound) => {
    expect(parseFileQuery(query)(file)).toBe(isFound)
  })

  it.each([
    'tags:',
    'AND',
    'tags:a AND',
    '(tags:a',
    'tags:a)',
    'tags:"a',
    'colour:red',
    'NOT',
    '('.repeat(50),
  ])('refuses %j as query.syntax', query => {
    expect(() => parseFileQuery(query)).toThrow(expect.objectContaining({ code: 'query.syntax' }))
  })

  it('answers any text with a filter or a syntax error', () => {
    const words = fc.constantFrom(
      'AND',
      'OR',
      'NOT',
      '(',
      ')',
      'tags:',
      '"',
      'id:4',
      '*',
      '?',
      '\\',
      ' ',
      'name:"a b"',
      '',
    )
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(words).map(parts => parts.join(' ')),
        ),
        query => {
          try {
            expect(parseFileQuery(query)(file)).toBeTypeOf('boolean')
          } catch (error) {
            expect(error).toBeInstanceOf(UserError)
          }
        },
      ),
    )
  })

  it('stays fast on a pattern made to stall it', () => {
    const long = { ...file, name: `${'a'.repeat(450)}b` }
    expect(parseFileQuery(`name:${'*a'.repeat(200)}*c`)(long)).toBe(false)
  })
})
