import type { Completion, CompletionContext, CompletionResult } from '@codemirror/autocomplete'
import { syntaxTree } from '@codemirror/language'
import { keysOf, placesIn, type Schema } from './json-schema.ts'

/**
 * The keys, or the words of an enumeration, that may stand at the cursor.
 *
 * @param schema of `parameters`
 */
export const completeJson = (
  context: CompletionContext,
  schema: Schema | undefined,
): CompletionResult | null => {
  const { state, pos, explicit } = context
  const word = context.matchBefore(/"?[\w#]*/)
  if (schema === undefined || word === null || (word.from === word.to && !explicit)) return null
  const { name, from, to } = syntaxTree(state).resolveInner(pos, -1)
  const isValue = name === 'String'
  const place = placesIn(state, schema).findLast(({ node }) =>
    isValue
      ? node.from === from && node.to === to
      : /^(Object|Array)$/.test(node.name) && node.from < pos && pos <= node.to,
  )
  const schemas = place?.node.name === 'Array' ? [] : (place?.schemas ?? [])
  const options = isValue ? wordsOf(schemas) : keyOptions(schemas)
  if (options.length === 0) return null
  const replaced =
    isValue || name === 'PropertyName' ? { from, to: Math.max(to, pos) } : { from: word.from, to: pos }
  return { ...replaced, options, validFor: /^"?[\w#]*"?$/ }
}

const keyOptions = (schemas: readonly Schema[]): Completion[] =>
  [...keysOf(schemas)].map(([key, inner]) => {
    const { description: info } = Object(inner) as Schema
    return { label: JSON.stringify(key), type: 'property', ...(typeof info === 'string' && { info }) }
  })

const wordsOf = (schemas: readonly Schema[]): Completion[] =>
  schemas
    .flatMap(({ enum: words, const: word, examples }) =>
      Array.isArray(words) ? words : word === undefined ? (Array.isArray(examples) ? examples : []) : [word],
    )
    .map(word => ({ label: JSON.stringify(word), type: 'constant' }))
