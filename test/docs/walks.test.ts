import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

const [, text = ''] = readFileSync('docs/architecture.md', 'utf8').split('## Five walks')
const [introduction = '', ...sections] = (text.split('\n## ')[0] ?? '').split('\n### ')

/** The rows of the tables only: a file named in a sentence is no step. */
const filesOf = (section: string): string[] => {
  const rows = section.split('\n').filter(line => line.startsWith('|'))
  return [...new Set(rows.flatMap(row => row.match(/(?<=`)[a-z]+\/[^`]+\.ts(?=`)/g) ?? []))]
}

describe('the walks of docs/architecture.md', () => {
  it('name files that exist', () => {
    const files = sections.flatMap(filesOf)
    expect(files.length).toBeGreaterThan(90)
    expect(files.filter(file => !existsSync(file))).toEqual([])
  })

  it('have as many files as the text says', () => {
    const [shared, ...walks] = sections.map(section => filesOf(section).length)
    expect(introduction.match(/\d+/g)?.map(Number)).toEqual([...walks, shared])
  })
})
