// Copy to test/docs/ once apply-citations.mjs has run.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const root = join(import.meta.dirname, '../..')
/** Sections by number, of documents that a reader does not have: made of pieces, so that this file is none of them. */
const citation = new RegExp(
  `\\b(${['spec', 'ification'].join('')}|${['fac', 'ts'].join('')}|design section),? (section )?\\d`,
  'i',
)

it('comments and documents cite no document outside the repository by section', () => {
  const files = execFileSync('git', ['ls-files', '*.ts', '*.md'], { cwd: root, encoding: 'utf8' })
    .split('\n')
    .filter(Boolean)
  const citing = files.flatMap(file =>
    readFileSync(join(root, file), 'utf8')
      .split('\n')
      .flatMap((line, index) => (citation.test(line) ? [`${file}:${index + 1} ${line.trim()}`] : [])),
  )
  expect(citing).toEqual([])
})
