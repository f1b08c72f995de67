import type { Completion, CompletionContext, CompletionResult } from '@codemirror/autocomplete'
import { syntaxTree } from '@codemirror/language'
import type { EditorState } from '@codemirror/state'
import type { SyntaxNode } from '@lezer/common'

export type Schema = Readonly<Record<string, unknown>>

/**
 * The keys, or the words of an enumeration, that may stand at the cursor.
 *
 * @param schema of `parameters`
 */
export const completeJson = (
  context: CompletionContext,
  schema: object | undefined,
): CompletionResult | null => {
  if (schema === undefined) return null
  const { state, pos } = context
  const node = syntaxTree(state).resolveInner(pos, -1)
  const word = context.matchBefore(/"?[\w#]*/)
  if (word === null || (word.from === word.to && !context.explicit)) return null
  const whole = { type: 'object', properties: { parameters: schema } }
  const isValue = node.name === 'String' && node.parent?.name === 'Property' && node.prevSibling !== null
  const isName = node.name === 'PropertyName'
  const holder = isName || isValue ? node.parent : node
  const path = pathTo(
    state,
    isValue ? holder : holder?.name === 'Property' ? (holder.parent ?? holder) : holder,
  )
  const found = schemasAt(whole, schema as Schema, path)
  const options = isValue ? valuesOf(found) : keysOf(found)
  if (options.length === 0) return null
  const from = isName || isValue ? node.from : word.from
  const to = isName || isValue ? Math.max(node.to, pos) : pos
  return { from, to, options, validFor: /^"?[\w#]*"?$/ }
}

/** Keys and numbers of items from the root to what is in or at a node. */
const pathTo = (state: EditorState, node: SyntaxNode | null): (string | number)[] => {
  const path: (string | number)[] = []
  for (let at = node; at !== null; at = at.parent) {
    if (at.name === 'Property' && at.firstChild)
      path.unshift(state.sliceDoc(at.firstChild.from + 1, at.firstChild.to - 1))
    if (at.parent?.name === 'Array' && at.name !== '[' && at.name !== ']') path.unshift(0)
  }
  return path
}

/** The parts of a schema that speak of the value at a path. */
const schemasAt = (schema: unknown, root: Schema, path: readonly (string | number)[]): Schema[] => {
  const here = alternatives(schema, root)
  const [key, ...rest] = path
  if (key === undefined) return here
  return here.flatMap(({ properties, items, additionalProperties }) => {
    const inner = typeof key === 'number' ? items : (fieldOf(properties, key) ?? additionalProperties)
    return schemasAt(inner, root, rest)
  })
}

export const fieldOf = (value: unknown, key: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, key)
    ? (value as Record<string, unknown>)[key] // it has the key
    : undefined

/** A schema, or those that it refers to or chooses from. */
const alternatives = (schema: unknown, root: Schema): Schema[] => {
  if (typeof schema !== 'object' || schema === null) return []
  const { $ref, anyOf, oneOf, allOf, ...own } = schema as Record<string, unknown> // an object
  const parts = [anyOf, oneOf, allOf].flatMap(list => (Array.isArray(list) ? list : []))
  const referred = typeof $ref === 'string' ? [followed(root, $ref)] : []
  return [own, ...[...parts, ...referred].flatMap(part => alternatives(part, root))]
}

export const followed = (root: Schema, reference: string): unknown =>
  reference
    .split('/')
    .slice(1)
    .reduce<unknown>((value, key) => fieldOf(value, key.replaceAll('~1', '/').replaceAll('~0', '~')), root)

const keysOf = (schemas: readonly Schema[]): Completion[] => {
  const keys = new Map<string, unknown>()
  for (const { properties } of schemas)
    if (typeof properties === 'object' && properties !== null)
      for (const [key, inner] of Object.entries(properties)) keys.set(key, inner)
  return [...keys].map(([key, inner]) => {
    const info = fieldOf(inner, 'description')
    return { label: JSON.stringify(key), type: 'property', ...(typeof info === 'string' && { info }) }
  })
}

const valuesOf = (schemas: readonly Schema[]): Completion[] =>
  schemas
    .flatMap(({ enum: words, const: word, examples }) =>
      Array.isArray(words) ? words : word === undefined ? (Array.isArray(examples) ? examples : []) : [word],
    )
    .map(word => ({ label: JSON.stringify(word), type: 'constant' }))
