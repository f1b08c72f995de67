import { describe, expect, it } from 'vitest'
import { exportsOf, readImportedNames, sourceFiles } from './import-graph.ts'

/** Folders in which every export is imported by another file, of the code or of the tests. */
const folders = ['cli', 'functions', 'infra', 'local']

const imported = readImportedNames(sourceFiles('functions', 'infra', 'local', 'cli', 'test'))

/** The template names it: Lambda calls it. */
const isEntryPoint = (file: string, name: string): boolean =>
  file.endsWith('/handler.ts') && name === 'handler'

const unusedExportsOf = (file: string): string[] =>
  exportsOf(file)
    .filter(
      name => !isEntryPoint(file, name) && !imported.has(`${file}#*`) && !imported.has(`${file}#${name}`),
    )
    .map(name => `${file}: ${name}`)

describe('exports', () => {
  it.each(folders)('of %s are imported by another file', folder => {
    const files = sourceFiles(folder)
    expect(files).not.toEqual([])
    expect(files.flatMap(unusedExportsOf)).toEqual([])
  })

  it('are read in each of their forms', () => {
    expect(exportsOf('functions/lib/errors/errors.ts')).toEqual(
      expect.arrayContaining(['UserError', 'TransientError']),
    )
    expect(exportsOf('functions/lib/storage/jobs/job-record.ts')).toEqual(
      expect.arrayContaining(['jobRecord', 'JobRecord', 'isFinal']),
    )
  })

  it('that nobody imports are found', () => {
    expect(imported).toContain('functions/lib/errors/errors.ts#UserError')
    expect(imported).not.toContain('functions/lib/errors/errors.ts#NobodyImportsThis')
  })
})
