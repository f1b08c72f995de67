import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { Pagination } from '#lib/extractor/config/pagination-schema.ts'
import { functionTable } from '#lib/extractor/values/functions/function-table.ts'
import { usedKeys, withDefaults } from '../functions/lib/extractor/samples/keys-of-schema.ts'
import {
  blockOf,
  blocksIn,
  documentedKeys as keys,
  knownSchema,
  shortPath,
  withKeyTables,
} from '../tools/documents/key-tables.ts'
import { type Example, readExamples } from './reference/read-examples.ts'
import { runExample } from './reference/run-example.ts'

const root = join(import.meta.dirname, '../..')
const pages = globSync('docs/**/*.md', { cwd: root }).map(file => ({
  file,
  text: readFileSync(join(root, file), 'utf8'),
}))
const blocks = pages.flatMap(({ text }) => blocksIn(text))
const examples = readExamples(root)

const named = (some: readonly Example[]) =>
  some.map(example => ({ ...example, name: `${example.file}:${example.line} ${example.title}` }))

/** Shown on their page, but by no example that runs: what they say needs a server with TLS (http/tls.test.ts). */
const needsTls = ['api.caCertificate', 'api.clientCertificate', 'api.#clientCertificate']

/** Taken for the sake of old configurations; the reference says so. */
const isWithoutEffect = ['cache']

const productCode = globSync('functions/lib/{extractor,storage}/**/*.ts', {
  cwd: root,
  exclude: ['functions/lib/extractor/config/*-schema.ts'],
})
  .map(file => readFileSync(join(root, file), 'utf8').replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*/g, ''))
  .join('\n')

/** What a mapping may hold has no schema: `tables/mapping.ts` reads it key by key. */
const mappingKeys = new Set(
  [
    ...readFileSync(join(root, 'functions/lib/extractor/tables/mapping.ts'), 'utf8').matchAll(
      /\w\['(\w+)'\]/g,
    ),
  ].map(([, key = '']) => key),
)

describe('the examples of the documents run as they say', () => {
  it.each(named(examples))('$name', runExample)
})

describe('with all defaults written out, they run as they do without them', () => {
  it.each(named(examples.filter(({ error }) => error === undefined)))('$name', async example => {
    const config = withDefaults(knownSchema, example.config)
    expect(config).not.toEqual(example.config)
    await runExample({ ...example, config: config as typeof example.config }) // as it was, with more keys
  })
})

describe('the extractor reference', () => {
  it.each(pages.filter(({ text }) => blocksIn(text).length > 0))(
    '$file is what the schema makes of it (npm run reference)',
    ({ text }) => {
      expect(text).toBe(withKeyTables(text, blocks))
    },
  )

  it('has one table for each part of a configuration', () => {
    expect(blocks.toSorted()).toEqual([...new Set(blocks)].toSorted())
    const listed = new Set([...keys.keys()].map(path => blockOf(path, blocks)))
    expect(blocks.filter(block => !listed.has(block))).toEqual([])
  })

  it.each([...keys.keys()])('lists %s with its meaning', path => {
    expect(blocks).toContain(blockOf(path, blocks))
    expect(keys.get(path)?.schema.description).toMatch(/^[A-Z`][^\n]*[.]$/)
  })

  it.each([...mappingKeys])('lists the key %s of a mapping, and shows it', key => {
    const page = pages.find(({ file }) => file.endsWith('extractor-tables.md'))?.text
    expect(page).toMatch(new RegExp(`^\\| \`(?:[\\w.]+\\.)?${key}(?:\\.\\w+)?\` \\|`, 'm'))
    expect(JSON.stringify(examples.map(({ config }) => config))).toContain(`"${key}":`)
  })

  it.each(Pagination.options.map(({ shape }) => shape.method.value))(
    'has the method %s of pagination in its table of methods',
    method => {
      const page = pages.find(({ file }) => file.endsWith('extractor-pagination.md'))?.text
      expect(page).toMatch(new RegExp(`^\\| [^|]+ \\| .*\\[${RegExp.escape(method)}\\]\\(.*\\) \\|$`, 'm'))
    },
  )

  it.each(Object.keys(functionTable))('lists the function %s, and shows it', name => {
    const page = pages.find(({ file }) => file.endsWith('extractor-functions.md'))?.text
    expect(page).toMatch(new RegExp(`^\\| (?:.*, )?\`${name}\\(`, 'm'))
    expect(JSON.stringify(examples.map(({ config }) => config))).toContain(`"function":"${name}"`)
  })

  it.each([...keys.keys()].filter(path => !isWithoutEffect.includes(path)))(
    'lists no key that no code reads: %s',
    path => {
      const name = path.split('.').at(-1) ?? ''
      expect(productCode).toMatch(new RegExp(`(?:[.{,\\s]|\\['|')${RegExp.escape(name)}\\b`))
    },
  )

  const shown = new Set(examples.flatMap(({ config }) => [...usedKeys(knownSchema, config)].map(shortPath)))
  it.each([...keys.keys()].filter(path => !needsTls.includes(path)))('shows %s in an example', path => {
    expect(shown).toContain(path)
  })
})
