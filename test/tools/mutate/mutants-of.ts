import { parseAst } from 'vitest/node'
import { changesOf, isNode, type Node, onlyTypes } from './changes-of.ts'

export interface Mutant {
  readonly file: string
  /** From 1. */
  readonly line: number
  readonly kind: 'operator' | 'bound' | 'boolean' | 'call' | 'await' | 'condition' | 'return'
  /** Where in the source, from 0, and what stands there instead. */
  readonly start: number
  readonly end: number
  readonly replacement: string
}

/** Every change of one place that the mutator knows, in the order of the source. Types and imports have none. */
export const mutantsOf = (file: string, source: string): Mutant[] => {
  const program: unknown = parseAst(source, { lang: file.endsWith('x') ? 'tsx' : 'ts' })
  const starts = [...source.matchAll(/^/gm)].map(({ index }) => index)
  const lineAt = (place: number): number => starts.findLastIndex(start => start <= place) + 1
  const mutants: Mutant[] = []
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) value.forEach(visit)
    if (!isNode(value) || onlyTypes(value)) return
    for (const change of changesOf(value, source))
      mutants.push({ file, line: lineAt(change.start), ...change })
    childrenOf(value).forEach(visit)
  }
  visit(program)
  return mutants.toSorted((one, other) => one.start - other.start)
}

const childrenOf = (node: Node): unknown[] =>
  // What an `as` names is a type; a key that is written out is a name.
  Object.entries(node)
    .filter(([name]) => name !== 'typeAnnotation' && !(name === 'key' && node.computed !== true))
    .map(([, value]) => value)

/** The source with the change in it. */
export const withMutant = (source: string, { start, end, replacement }: Mutant): string =>
  source.slice(0, start) + replacement + source.slice(end)
