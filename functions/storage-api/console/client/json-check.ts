import { type Schema as Checked, Validator } from '@cfworker/json-schema'
import { syntaxTree } from '@codemirror/language'
import type { EditorState } from '@codemirror/state'
import type { SyntaxNode } from '@lezer/common'
import { fieldOf, followed, type Schema } from './json-complete.ts'

export interface JsonProblem {
  /** Position in the text. */
  from: number
  to: number
  message: string
  /** The text is no JSON. */
  isSyntax: boolean
}

const MAX_PROBLEMS = 20

/**
 * Says what is wrong with the text of a configuration: that it is no JSON, or does not fit.
 *
 * @param schema of `parameters`; none: any object is right
 */
export const createJsonCheck = (schema: object | undefined): ((state: EditorState) => JsonProblem[]) => {
  const validator = schema && new Validator(schema as Checked, '2020-12', false) // what the service sends
  return state => {
    let value: unknown
    try {
      value = JSON.parse(state.doc.toString())
    } catch (error) {
      const message = `Not valid JSON: ${error instanceof Error ? error.message : ''}`
      return [{ ...placeOfError(state), message, isSyntax: true }]
    }
    if (!validator || typeof value !== 'object' || value === null || !('parameters' in value)) return []
    const { errors } = validator.validate(value.parameters)
    const places = errors.map(({ instanceLocation }) => instanceLocation)
    // An error is repeated for each object around it.
    const wrong = errors
      .filter(({ instanceLocation: at }) => !places.some(other => other.startsWith(`${at}/`)))
      .filter(({ error }) => error !== 'False boolean schema.')
      .map(({ instanceLocation, error }) => ({ path: pathOf(instanceLocation), message: error }))
    const unknown = unknownKeys(value.parameters, [schema], schema as Schema).map(path => ({
      path,
      message: 'this key is not expected',
    }))
    return [...wrong, ...unknown].slice(0, MAX_PROBLEMS).map(({ path: below, message }) => {
      const path = ['parameters', ...below]
      return { ...placeOf(state, path), message: `${path.join('.')}: ${message}`, isSyntax: false }
    })
  }
}

/**
 * The places of keys that no part of the schema names, where it says nothing of others. The service's schema refuses none of them, since clients
 * store what they hold; to somebody who types, such a key is mostly misspelt.
 */
const unknownKeys = (value: unknown, schemas: readonly unknown[], root: Schema): string[][] => {
  if (typeof value !== 'object' || value === null) return []
  const parts = schemas.flatMap(schema => choices(schema, root))
  const names = parts.every(isClosed)
    ? new Set(parts.flatMap(({ properties }) => Object.keys(properties ?? {})))
    : undefined
  return Object.entries(value).flatMap(([key, inner]) => {
    if (names !== undefined && names.size > 0 && !Array.isArray(value) && !names.has(key)) return [[key]]
    const below = parts.flatMap(part =>
      Array.isArray(value)
        ? [part['items']]
        : [fieldOf(part['properties'], key) ?? part['additionalProperties']],
    )
    return unknownKeys(inner, below, root).map(path => [key, ...path])
  })
}

const isClosed = ({ properties, additionalProperties = false }: Schema): boolean =>
  properties !== undefined && additionalProperties === false

/** The schemas of which a value has to fit one. */
const choices = (schema: unknown, root: Schema): Schema[] => {
  if (typeof schema !== 'object' || schema === null) return [{}]
  const { $ref, anyOf, oneOf, ...own } = schema as Record<string, unknown> // an object
  if (typeof $ref === 'string') return choices(followed(root, $ref), root)
  const listed = [anyOf, oneOf].find(Array.isArray)
  return listed === undefined ? [own] : listed.flatMap((each: unknown) => choices(each, root))
}

/** `#/api/baseUrl` -> its keys (RFC 6901). */
const pathOf = (pointer: string): string[] =>
  pointer
    .split('/')
    .slice(1)
    .map(part => decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~'))

const placeOfError = (state: EditorState): { from: number; to: number } => {
  let from = state.doc.length
  syntaxTree(state).iterate({
    enter: ({ type, from: at }) => {
      if (type.isError) from = Math.min(from, at)
    },
  })
  return { from, to: Math.min(state.doc.length, from + 1) }
}

/** Of the value at a path, or of what is nearest around it. */
const placeOf = (state: EditorState, path: readonly string[]): { from: number; to: number } => {
  let node: SyntaxNode | null = syntaxTree(state).topNode.firstChild
  let place = { from: 0, to: 0 }
  for (const key of path) {
    node = node && childOf(state, node, key)
    if (node === null) break
    place = { from: node.from, to: node.to }
  }
  return place
}

const childOf = (state: EditorState, node: SyntaxNode, key: string): SyntaxNode | null => {
  if (node.name === 'Array') return valuesOf(node)[Number(key)] ?? null
  const property = node.getChildren('Property').find(({ firstChild }) => {
    const name = firstChild && state.sliceDoc(firstChild.from, firstChild.to)
    return name === JSON.stringify(key)
  })
  return property?.lastChild ?? null
}

const valuesOf = (array: SyntaxNode): SyntaxNode[] => {
  const values: SyntaxNode[] = []
  for (let child = array.firstChild; child; child = child.nextSibling)
    if (/^[A-Z]/.test(child.name)) values.push(child)
  return values
}
