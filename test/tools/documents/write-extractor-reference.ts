import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { blocksIn, withKeyTables } from './key-tables.ts'

/** Writes the tables of keys into the documents, from the schema that reads configurations. */
const root = join(import.meta.dirname, '../../..')
const pages = globSync('docs/**/*.md', { cwd: root }).map(page => join(root, page))
const blocks = pages.flatMap(page => blocksIn(readFileSync(page, 'utf8')))
for (const page of pages) {
  const before = readFileSync(page, 'utf8')
  const after = withKeyTables(before, blocks)
  if (after !== before) writeFileSync(page, after)
}
