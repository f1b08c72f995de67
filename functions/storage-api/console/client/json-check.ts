import { syntaxTree } from '@codemirror/language'
import type { EditorState } from '@codemirror/state'
import { keyOf, keysOf, type Place, placesIn, type Schema } from './json-schema.ts'

interface JsonProblem {
  /** Position in the text. */
  from: number
  to: number
  message: string
  /** The text is no JSON. */
  isSyntax: boolean
}

const MAX_PROBLEMS = 20

/**
 * What is wrong with the text of a configuration: that it is no JSON, values of another kind than they should have, and keys that are not
 * known. All else the service says when it is stored.
 *
 * @param schema of `parameters`; none: any object is right
 */
export const checkJson = (state: EditorState, schema: Schema | undefined): JsonProblem[] => {
  try {
    JSON.parse(state.doc.toString())
  } catch (error) {
    const message = `Not valid JSON: ${error instanceof Error ? error.message : ''}`
    return [{ ...placeOfError(state), message, isSyntax: true }]
  }
  const places = schema === undefined ? [] : placesIn(state, schema)
  return places
    .flatMap(place => [...wrongKind(place), ...unknownKeys(state, place)])
    .slice(0, MAX_PROBLEMS)
    .map(({ path, from, to, says }) => ({ from, to, message: `${path.join('.')}: ${says}`, isSyntax: false }))
}

interface Problem {
  path: Place['path']
  from: number
  to: number
  says: string
}

/** Kinds of JSON, by the nodes of the editor. */
const kinds: Readonly<Record<string, readonly string[]>> = {
  Number: ['number', 'integer'],
  True: ['boolean'],
  False: ['boolean'],
}

const wrongKind = ({ node: { name, from, to }, path, schemas }: Place): Problem[] => {
  const expected = schemas.map(({ type }) => type)
  const found: readonly unknown[] = kinds[name] ?? [name.toLowerCase()]
  if (expected.some(type => type === undefined || found.includes(type))) return []
  return [{ path, from, to, says: `this should be ${[...new Set(expected)].join(' or ')}` }]
}

/**
 * Keys that no part of the schema names, where it says nothing of others. The service's schema refuses none of them, since clients store what
 * they hold; to somebody who types, such a key is mostly misspelt.
 */
const unknownKeys = (state: EditorState, { node, path, schemas }: Place): Problem[] => {
  const keys = keysOf(schemas)
  if (node.name !== 'Object' || keys.size === 0 || !schemas.every(isClosed)) return []
  return node.getChildren('Property').flatMap(property => {
    const key = keyOf(state, property)
    const { from, to } = property.firstChild ?? property
    return keys.has(key) ? [] : [{ path: [...path, key], from, to, says: 'this key is not expected' }]
  })
}

const isClosed = ({ properties, additionalProperties = false }: Schema): boolean =>
  properties !== undefined && additionalProperties === false

const placeOfError = (state: EditorState): { from: number; to: number } => {
  let from = state.doc.length
  syntaxTree(state).iterate({
    enter: ({ type, from: at }) => {
      if (type.isError) from = Math.min(from, at)
    },
  })
  return { from, to: Math.min(state.doc.length, from + 1) }
}
