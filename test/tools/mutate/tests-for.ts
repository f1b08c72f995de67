import { dirname } from 'node:path'
import type { ImportGraph } from '../../project/import-graph.ts'
import { slowest } from '../slowest-first.ts'

const isSlow = (test: string): boolean => slowest.some(name => test === `test/${name}.test.ts`)

/** How many folders the place of a test has in common with that of the file, below `test/`. */
const shared = (file: string, test: string): number => {
  const folders = dirname(file).split('/')
  const others = dirname(test).split('/').slice(1)
  const different = folders.findIndex((folder, index) => folder !== others[index])
  return different === -1 ? folders.length : different
}

/**
 * The tests that reach a file by imports: those a quick run begins with first. What is few imports away comes first, then
 * what lies in the same room; tests that take long come last.
 */
export const testsFor = (file: string, importers: ImportGraph): string[] => {
  const steps = new Map([[file, 0]])
  for (const [reached, step] of steps)
    for (const importer of importers.get(reached) ?? [])
      if (!steps.has(importer)) steps.set(importer, step + 1)
  return [...steps]
    .filter(([test]) => test.endsWith('.test.ts'))
    .toSorted(
      ([one, near], [other, far]) =>
        Number(isSlow(one)) - Number(isSlow(other)) ||
        near - 2 * shared(file, one) - (far - 2 * shared(file, other)) ||
        one.localeCompare(other),
    )
    .map(([test]) => test)
}

/** File -> the files that import it. `besides` are imports that are not written as such. */
export const importersIn = (
  graph: ImportGraph,
  besides: readonly (readonly [from: string, to: string])[],
): ImportGraph => {
  const imports = [...graph].flatMap(([from, targets]) => targets.map(to => [from, to] as const))
  const importers = new Map<string, string[]>()
  for (const [from, to] of [...imports, ...besides]) importers.set(to, [...(importers.get(to) ?? []), from])
  return importers
}

/** What runs without being imported: handlers and the console from their bundles, the command and threads by their paths. */
export const startedFiles = (
  files: readonly string[],
  importers: ImportGraph,
): (readonly [from: string, to: string])[] =>
  files
    .filter(file => !importers.has(file) && !file.endsWith('.test.ts'))
    .flatMap(file => startersOf(file, files).map(starter => [starter, file] as const))

const startersOf = (file: string, files: readonly string[]): readonly string[] => {
  if (file.endsWith('/handler.ts') || file.includes('/console/client/')) return ['infra/bundle.ts']
  if (file.startsWith('cli/')) return ['test/support/millrace.ts']
  return files.filter(other => other !== file && dirname(other) === dirname(file))
}
