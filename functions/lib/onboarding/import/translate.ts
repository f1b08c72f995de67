import { UserError } from '#lib/errors/errors.ts'
import { evaluateExpression } from '#lib/extractor/values/functions/expression/evaluate-expression.ts'
import { readsClock } from '#lib/extractor/values/functions/expression/expression-functions.ts'
import { type Expression, withParts } from '#lib/extractor/values/functions/expression/expression-tree.ts'
import { joined, parseTemplate } from '#lib/extractor/values/functions/expression/parse-expression.ts'
import { isTrue } from '#lib/extractor/values/functions/expression/worked-value.ts'
import { TextBudget } from '#lib/extractor/values/php/text-budget.ts'
import type { Json } from '#lib/json/json-value.ts'
import { printExpression } from './print-expression.ts'

/**
 * What a name of a template stands for, with the keys that follow it. Nothing: no counterpart.
 *
 * @param hasDefault whether the template says what counts without it
 */
export type Resolve = (root: string, keys: readonly string[], hasDefault: boolean) => Expression | undefined

class NoCounterpart extends Error {}

/**
 * A template of Jinja as one expression of ours: names are looked up, and what is known by now is worked out. A template of several parts
 * is a text.
 *
 * @throws UserError `extractor.functions.expression` for what is none; returns why there is no counterpart
 */
export const translate = (
  template: string,
  resolve: Resolve,
): { expression: Expression } | { why: string } => {
  try {
    const parts = parseTemplate(template)
    return { expression: settled(joined(parts.length === 0 ? [] : parts), resolve) }
  } catch (error) {
    if (error instanceof NoCounterpart || error instanceof UserError) return { why: error.message }
    throw error
  }
}

/** The tree with names looked up, and values in place of what has them. */
const settled = (expression: Expression, resolve: Resolve): Expression => {
  const found = reference(expression)
  if (found !== undefined) {
    const { root, keys, other, isOr } = found
    const resolved = resolve(root, keys, other !== undefined)
    if (resolved === undefined) throw new NoCounterpart(`"${[root, ...keys].join('.')}" has no counterpart`)
    if (other === undefined) return resolved
    const instead = settled(other, resolve)
    if (resolved.kind !== 'value') return withDefault(resolved, instead, isOr === true)
    return resolved.value === null || (isOr === true && !isTrue(resolved.value)) ? instead : resolved
  }
  const known = withParts(expression, part => settled(part, resolve))
  if (known.kind === 'binary' && known.left.kind === 'value') {
    const isYes = isTrue(known.left.value)
    if (known.operator === 'or') return isYes ? known.left : known.right
    if (known.operator === 'and') return isYes ? known.right : known.left
  }
  // What is missing is no text in a text
  if (known.kind === 'binary' && known.operator === '~')
    return worked({ ...known, left: orEmpty(known.left), right: orEmpty(known.right) })
  if (known.kind === 'if' && known.test.kind === 'value')
    return isTrue(known.test.value) ? known.yes : known.no
  return worked(known)
}

const orEmpty = (part: Expression): Expression =>
  part.kind === 'value' && part.value === null ? { kind: 'value', value: '' } : part

/**
 * What is missing is none here, and neither that nor an empty text needs to be said. A zero does: it is compared and added up, which none
 * is not.
 */
const withDefault = (of: Expression, other: Expression, isOr: boolean): Expression => {
  if (other.kind === 'value' && other.value !== 0 && !isTrue(other.value)) return of
  return isOr
    ? { kind: 'binary', operator: 'or', left: of, right: other }
    : { kind: 'call', name: 'default', args: [of, other], named: {} }
}

interface Reference {
  root: string
  keys: string[]
  /** What counts when it is missing; with `isOr` also when it is empty. */
  other?: Expression
  isOr?: boolean
}

/** `config['a'].get('b', other)`: a name and the keys after it, and the same with `or` and `default`. */
const reference = (expression: Expression): Reference | undefined => {
  if (expression.kind === 'name') return { root: expression.name, keys: [] }
  if (expression.kind === 'binary' && expression.operator === 'or') {
    const left = reference(expression.left)
    return left && { ...left, other: expression.right, isOr: true }
  }
  if (expression.kind === 'call' && expression.name === 'default') {
    const [given, other = { kind: 'value', value: '' }, isOr] = expression.args
    const found = given && reference(given)
    return found && { ...found, other, isOr: isOr !== undefined }
  }
  const [of, key, other] =
    expression.kind === 'member'
      ? [expression.of, expression.key]
      : expression.kind === 'call' && expression.name === 'get'
        ? expression.args
        : []
  const inner = of && reference(of)
  if (inner === undefined || key?.kind !== 'value') return undefined
  return {
    root: inner.root,
    keys: [...inner.keys, String(key.value)],
    ...(other === undefined ? {} : { other }),
  }
}

const isKnown = (expression: Expression): boolean => {
  if (expression.kind === 'name' || (expression.kind === 'call' && readsClock(expression.name))) return false
  let all = true
  withParts(expression, part => {
    all &&= isKnown(part)
    return part
  })
  return all
}

/** Moments and lengths of time stay as they are written: only with what is around them they are values. */
const worked = (expression: Expression): Expression => {
  if (expression.kind === 'value' || !isKnown(expression)) return expression
  if (expression.kind === 'call' && ofTime.has(expression.name)) return expression
  try {
    return { kind: 'value', value: evaluateExpression(expression, {}, { now: 0, budget: new TextBudget() }) }
  } catch {
    return expression // said when it is worked out
  }
}

const ofTime = new Set(['duration', 'timedelta', 'str_to_datetime', 'date'])

/** What a template gives when it is known: texts that are written as a number, a list or `True` are that, as connectors read them. */
export const literalOf = (value: Json): Json => {
  if (typeof value !== 'string') return value
  if (value === 'True' || value === 'False') return value === 'True'
  if (/^-?(0|[1-9]\d{0,14})(\.\d+)?$/.test(value)) return Number(value)
  if (!/^\s*[[{]/.test(value)) return value
  try {
    return JSON.parse(value.includes('"') ? value : value.replaceAll("'", '"')) as Json // JSON
  } catch {
    return value
  }
}

/** The keys after a name, as a path; nothing where paths are read in another way. */
export const pathIn = (expression: Expression, root: string): string | undefined => {
  const found = reference(expression)
  const isPath =
    found?.root === root &&
    found.other === undefined &&
    found.keys.length > 0 &&
    found.keys.every(key => !/[.*\-[\]]|^\d/.test(key))
  return isPath ? found.keys.join('.') : undefined
}

/** As the configuration has it: a value, a reference where one is enough, or an expression. */
export const written = (expression: Expression): Json => {
  if (expression.kind === 'value') return expression.value
  for (const root of ['attr', 'row', 'parent', 'parent2', 'parent3', 'window']) {
    const path = pathIn(expression, root)
    if (path !== undefined) return { [root]: path }
  }
  return { expr: printExpression(expression) }
}

/** A name of ours with keys. */
export const member = (root: string, keys: readonly string[]): Expression =>
  keys.reduce<Expression>(
    (of, key) => ({
      kind: 'member',
      of,
      key: keyOf(key),
    }),
    { kind: 'name', name: root },
  )

/** A key behind a name: a whole number is a place in a list. */
export const keyOf = (key: string): Expression => ({
  kind: 'value',
  value: /^-?\d+$/.test(key) ? Number(key) : key,
})
