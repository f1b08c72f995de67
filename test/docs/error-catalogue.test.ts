import { globSync, readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { areas, catalogue } from '#lib/errors/catalogue.ts'
import { UserError } from '#lib/errors/errors.ts'
import { errorCatalogue } from '../tools/documents/error-catalogue.ts'

const root = join(import.meta.dirname, '../..')
const entries = Object.entries<string>(catalogue)

const productCode = globSync('{functions,cli,local,infra}/**/*.ts', {
  cwd: root,
  exclude: ['functions/lib/errors/*-codes.ts', 'functions/lib/errors/catalogue.ts'],
}).map(path => ({ path, text: readFileSync(join(root, path), 'utf8') }))

/** The arguments of each `new UserError('…'`, which begin with a code of the catalogue. */
const madeIn = (text: string): string[] =>
  [...text.matchAll(/new UserError\(\s*(?=')/g)].map(({ index, 0: { length } }) =>
    argumentsAt(text, index + length),
  )

/** Up to the bracket that closes the call. */
const argumentsAt = (text: string, start: number): string => {
  let depth = 1
  let end = start
  for (; depth > 0 && end < text.length; end++) {
    if (text[end] === '(') depth++
    if (text[end] === ')') depth--
  }
  return text.slice(start, end - 1)
}

it('docs/errors.md is what the catalogue makes of it (npm run errors)', async () => {
  expect(await readFile(join(root, 'docs/errors.md'), 'utf8')).toBe(errorCatalogue())
})

describe('the catalogue', () => {
  it('has each code in one area', () => {
    const codes = Object.values(areas).flatMap(area => Object.keys(area))
    expect(codes.toSorted()).toEqual(Object.keys(catalogue).toSorted())
  })

  it('says of each code what it means, in one sentence', () => {
    expect(entries.filter(([, sentence]) => !/^(?:[A-Z]|--?\w|\/)[^\n]+\.$/.test(sentence))).toEqual([])
  })

  it('has one prefix for the extractor', () => {
    expect(entries.map(([code]) => code).filter(code => code.startsWith('extraction.'))).toEqual([])
  })

  it('has no code that nothing uses', () => {
    // Not in a comment: the code must be a text of the program.
    const texts = new Set(productCode.flatMap(({ text }) => [...text.matchAll(/'([\w.]+)'/g)].map(m => m[1])))
    expect(entries.map(([code]) => code).filter(code => !texts.has(code))).toEqual([])
  })
})

describe('an error', () => {
  it.each([
    ['storage.tables.notFound', 404],
    ['storage.tables.validation', 400],
    ['storage.tooManyAtOnce', 429],
  ] as const)('%s is answered with %i', (code, status) => {
    expect(new UserError(code, 'message').status).toBe(status)
  })

  it('with a code of the catalogue is given no other status where it is made', () => {
    const calls = productCode.flatMap(({ path, text }) => madeIn(text).map(call => ({ path, call })))
    expect(calls.length).toBeGreaterThan(150)
    // The documented service gives these codes with two statuses.
    const isKnown = ({ path }: { path: string }): boolean =>
      path.endsWith('metadata/table-metadata.ts') || path.endsWith('names/column-names.ts')
    const withStatus = calls.filter(call => /\bstatus: \d/.test(call.call) && !isKnown(call))
    expect(withStatus).toEqual([])
  })
})
