import { globSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { describe, expect, it } from 'vitest'
import { exportsOf, readImportedNames, readImports, sourceFiles } from './import-graph.ts'

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

const code = sourceFiles(...folders, 'docs', 'test')
const settings = ['package.json', 'cdk.json', ...globSync('.github/workflows/*.yml'), '.ci/run']
const textOf = new Map(
  [...code, ...settings, ...globSync('{cli,functions,infra,local,test}/**/*.{js,mjs,css,json}')].map(file => [
    file,
    readFileSync(file, 'utf8'),
  ]),
)

describe('files', () => {
  /** Whether another file has its name as a text: a worker, a program of its own, a step of a workflow. */
  const isNamed = (file: string): boolean =>
    [...textOf].some(([other, text]) => other !== file && text.includes(basename(file)))

  it('are imported, tests, entries of a function, or named by a file that starts them', () => {
    const used = new Set([...readImports(code).values()].flat())
    const unused = code.filter(
      file => !used.has(file) && !/\.d\.ts$|\.(test|bench)\.ts$|\/handler\.ts$/.test(file) && !isNamed(file),
    )
    expect(unused).toEqual([])
  })
})

describe('packages', () => {
  /** What no file imports: the runtime, the compiler of types, and types of what is imported under another name. */
  const withoutImport = new Set(['node', '@types/node', 'typescript'])
  const { dependencies, devDependencies } = JSON.parse(readFileSync('package.json', 'utf8'))
  const texts = [...textOf].filter(([file]) => file !== 'package.json').map(([, text]) => text)
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'))

  it('are imported somewhere, or run by a script', () => {
    const isUsed = (name: string): boolean => {
      const imported = name.replace(/^@types\//, '')
      const isThere = new RegExp(`['"(/]${imported}['"/]`)
      return texts.some(text => isThere.test(text))
    }
    const isRun = (name: string): boolean =>
      Object.values<string>(scripts).some(script =>
        script.includes(name.replace(/^.*\//, '').replace('aws-', '')),
      )
    const unused = Object.keys({ ...dependencies, ...devDependencies }).filter(
      name => !withoutImport.has(name) && !isUsed(name) && !isRun(name),
    )
    expect(unused).toEqual([])
  })
})
