import { syntaxTree } from '@codemirror/language'
import type { EditorState } from '@codemirror/state'
import type { SyntaxNode } from '@lezer/common'

/** A part of a JSON schema. */
export type Schema = Readonly<Record<string, unknown>>

/** A value in a text, and the parts of a schema of which it has to fit one. */
export interface Place {
  node: SyntaxNode
  /** Keys and numbers of items from the root. */
  path: readonly (string | number)[]
  schemas: readonly Schema[]
}

/**
 * Every value of a configuration's text, the outer ones first.
 *
 * @param schema of `parameters`
 */
export const placesIn = (state: EditorState, schema: Schema): Place[] => {
  const visit = (place: Place): Place[] => [place, ...inside(state, schema, place).flatMap(visit)]
  const whole = { properties: { parameters: schema }, additionalProperties: true }
  const node = syntaxTree(state).topNode.firstChild
  return node === null ? [] : visit({ node, path: [], schemas: [whole] })
}

const inside = (state: EditorState, root: Schema, { node, path, schemas }: Place): Place[] => {
  const below = (inner: SyntaxNode, key: string | number, find: (schema: Schema) => unknown): Place => ({
    node: inner,
    path: [...path, key],
    schemas: schemas.flatMap(schema => choices(find(schema), root)),
  })
  if (node.name === 'Array')
    return valuesOf(node).map((item, index) => below(item, index, each => each['items']))
  return node.getChildren('Property').flatMap(property => {
    const [value] = valuesOf(property).slice(1)
    const key = keyOf(state, property)
    return value === undefined ? [] : [below(value, key, each => innerSchema(each, key))]
  })
}

const innerSchema = ({ properties, additionalProperties }: Schema, key: string): unknown =>
  fieldOf(properties, key) ?? additionalProperties

/** Of a property, its name is the first. */
const valuesOf = (node: SyntaxNode): SyntaxNode[] => {
  const values: SyntaxNode[] = []
  for (let child = node.firstChild; child; child = child.nextSibling)
    if (/^[A-Z]/.test(child.name)) values.push(child)
  return values
}

/** The name of a property. */
export const keyOf = (state: EditorState, property: SyntaxNode): string => {
  const { from = 0, to = 0 } = property.firstChild ?? {}
  return state.sliceDoc(from + 1, to - 1)
}

/** The keys that an object may have. */
export const keysOf = (schemas: readonly Schema[]): Map<string, unknown> =>
  new Map(schemas.flatMap(({ properties }) => Object.entries(Object(properties) as object)))

const fieldOf = (value: unknown, key: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, key)
    ? (value as Record<string, unknown>)[key] // it has the key
    : undefined

/** A schema, or those that it refers to or chooses from. */
const choices = (schema: unknown, root: Schema): Schema[] => {
  if (typeof schema !== 'object' || schema === null) return [{}]
  const { $ref, anyOf, oneOf, ...own } = schema as Record<string, unknown> // an object
  if (typeof $ref === 'string') return choices(followed(root, $ref), root)
  const listed = [anyOf, oneOf].find(Array.isArray)
  return listed === undefined ? [own] : listed.flatMap((each: unknown) => choices(each, root))
}

const followed = (root: Schema, reference: string): unknown =>
  reference
    .split('/')
    .slice(1)
    .reduce<unknown>((value, key) => fieldOf(value, key.replaceAll('~1', '/').replaceAll('~0', '~')), root)
