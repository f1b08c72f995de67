import { expect, it } from 'vitest'
import { importersIn, startedFiles, testsFor } from './tests-for.ts'

const graph = new Map([
  ['test/local/import-flow.test.ts', ['functions/a/core.ts']],
  ['test/functions/a/core.test.ts', ['functions/a/core.ts']],
  ['test/functions/b/other.test.ts', ['test/support/world.ts']],
  ['test/functions/c/handler.test.ts', ['infra/bundle.ts']],
  ['test/functions/d/stranger.test.ts', ['functions/d/core.ts']],
  ['test/support/world.ts', ['functions/a/core.ts']],
  ['functions/a/handler.ts', ['functions/a/core.ts']],
])
const files = [...graph.keys(), 'infra/bundle.ts']

it('tests that reach a file come in the order of their distance, those that take long last', () => {
  expect(testsFor('functions/a/core.ts', importersIn(graph, []))).toEqual([
    'test/functions/a/core.test.ts',
    'test/functions/b/other.test.ts',
    'test/local/import-flow.test.ts',
  ])
})

it('a handler is reached by what makes its bundle', () => {
  const importers = importersIn(graph, startedFiles(files, importersIn(graph, [])))
  expect(testsFor('functions/a/core.ts', importers)).toContain('test/functions/c/handler.test.ts')
  expect(testsFor('functions/a/handler.ts', importers)).toEqual(['test/functions/c/handler.test.ts'])
})
