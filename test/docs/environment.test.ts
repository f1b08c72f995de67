import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const root = join(import.meta.dirname, '../..')
const code = globSync('{cli,functions,infra,local}/**/*.ts', { cwd: root })
  .map(file => readFileSync(join(root, file), 'utf8'))
  .join('\n')
const page = readFileSync(join(root, 'docs/command-line.md'), 'utf8')
const documented = page.slice(page.indexOf('## Environment'))

const variablesIn = (text: string): string[] =>
  [...new Set(text.match(/\b(?:MILLRACE_[A-Z\d_]+|KBC_DATADIR)\b/g))].sort()

it('every environment variable of ours is on the page of the command line, and no other', () => {
  expect(variablesIn(documented)).toEqual(variablesIn(code))
})
