import { type Schema, Validator } from '@cfworker/json-schema'
import { syntaxTree } from '@codemirror/language'
import type { EditorState } from '@codemirror/state'
import type { SyntaxNode } from '@lezer/common'

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
  const validator = schema && new Validator(schema as Schema, '2020-12', false) // what the service sends
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
    return errors
      .filter(({ instanceLocation: at }) => !places.some(other => other.startsWith(`${at}/`)))
      .slice(0, MAX_PROBLEMS)
      .map(({ instanceLocation, error }) => {
        const path = ['parameters', ...pathOf(instanceLocation)]
        const message = error === 'False boolean schema.' ? 'this key is not expected' : error
        return { ...placeOf(state, path), message: `${path.join('.')}: ${message}`, isSyntax: false }
      })
  }
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
