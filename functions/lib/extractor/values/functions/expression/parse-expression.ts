import { parse, tokenize } from '@huggingface/jinja'
import { UserError } from '#lib/errors/errors.ts'
import type { Json } from '#lib/json/json-value.ts'
import { isObject } from '#lib/json/json-value.ts'
import { type BinaryOperator, binaryOperators, type Expression } from './expression-tree.ts'

/** Longer ones are programs. Also bounds how deep an expression can be. */
const LONGEST = 4_000

const operators = new Set<string>(binaryOperators.flat())

/** `{ "expr": text }`. */
export const isExpression = (given: unknown): given is { expr: string } =>
  isObject(given) && typeof given['expr'] === 'string' && Object.keys(given).length === 1

/**
 * Reads an expression: the grammar is that of expressions in Jinja (docs/reference/extractor-functions.md#expressions).
 *
 * @throws UserError `extractor.functions.expression`
 */
export const parseExpression = (text: string): Expression => {
  const [only, ...others] = read(text, `{{ ${text} }}`)
  if (only === undefined || others.length > 0) throw notRead(text, 'it is not one expression')
  return only
}

/**
 * Reads a text with expressions in `{{ }}` and conditions in `{% if %}`: its parts, literal ones as values.
 *
 * @throws UserError `extractor.functions.expression`
 */
export const parseTemplate = (text: string): Expression[] => read(text, text)

const read = (text: string, template: string): Expression[] => {
  if (text.length > LONGEST) throw notRead(text, `it has more than ${LONGEST} characters`)
  try {
    return (parse(tokenize(template)).body as unknown[]).map(node => toExpression(node, text))
  } catch (error) {
    if (error instanceof UserError) throw error
    throw notRead(text, error instanceof Error ? error.message : String(error))
  }
}

const notRead = (text: string, why: string): UserError =>
  new UserError(
    'extractor.functions.expression',
    `The expression ${text.slice(0, 200)} cannot be read: ${why}`,
    { params: { expression: text.slice(0, 200) } },
  )

type Node = Record<string, unknown> & { type: string }
/** Reads a part of a node. */
type At = (part: unknown) => Expression

/** The tree of the parser as ours. It is looked at as data: its classes are a matter of its version. */
const toExpression = (given: unknown, text: string): Expression => {
  const node = given as Node // every node of the parser has a type
  const found = readers[node.type]?.(node, part => toExpression(part, text))
  if (found === undefined) throw notRead(text, `${node.type} is no part of expressions here`)
  return found
}

const literal = ({ value }: Node): Expression => ({ kind: 'value', value: value as Json }) // texts and numbers
const list = ({ value }: Node, at: At): Expression => ({ kind: 'list', items: (value as unknown[]).map(at) })

/** By the type of the node. Nothing comes of one that has no place in expressions. */
const readers: Readonly<Record<string, (node: Node, at: At) => Expression | undefined>> = {
  StringLiteral: literal,
  IntegerLiteral: literal,
  FloatLiteral: literal,
  Identifier: ({ value }) =>
    constants.has(String(value))
      ? { kind: 'value', value: constants.get(String(value)) ?? null }
      : { kind: 'name', name: String(value) },
  ArrayLiteral: list,
  TupleLiteral: list,
  ObjectLiteral: ({ value }, at) => ({
    kind: 'object',
    members: [...(value as Map<unknown, unknown>)].map(([k, v]) => [at(k), at(v)]),
  }),
  MemberExpression: (node, at) => {
    const property = node['property'] as Node
    if (property.type === 'SliceExpression') return undefined
    return {
      kind: 'member',
      of: at(node['object']),
      key: node['computed'] === true ? at(property) : { kind: 'value', value: String(property['value']) },
    }
  },
  UnaryExpression: (node, at) => {
    const of = at(node['argument'])
    const sign = operatorOf(node)
    if (sign === 'not') return { kind: 'not', of }
    const left: Expression = { kind: 'value', value: 0 }
    return { kind: 'binary', operator: sign === '-' ? '-' : '+', left, right: of }
  },
  BinaryExpression: (node, at) => {
    const operator = operatorOf(node)
    if (!operators.has(operator)) return undefined
    const [left, right] = [at(node['left']), at(node['right'])]
    return { kind: 'binary', operator: operator as BinaryOperator, left, right }
  },
  Ternary: (node, at) => ({
    kind: 'if',
    test: at(node['condition']),
    yes: at(node['trueExpr']),
    no: at(node['falseExpr']),
  }),
  SelectExpression: (node, at) => ({
    kind: 'if',
    test: at(node['test']),
    yes: at(node['lhs']),
    no: { kind: 'value', value: null },
  }),
  If: (node, at) => ({
    kind: 'if',
    test: at(node['test']),
    yes: joined((node['body'] as unknown[]).map(at)),
    no: joined((node['alternate'] as unknown[]).map(at)),
  }),
  TestExpression: (node, at) => {
    const test = String((node['test'] as Node)['value'])
    const args = [at(node['operand'])]
    const is: Expression = { kind: 'call', name: `is ${test.toLowerCase()}`, args, named: {} }
    return node['negate'] === true ? { kind: 'not', of: is } : is
  },
  FilterExpression: (node, at) => {
    const filter = node['filter'] as Node
    const isCall = filter.type === 'CallExpression'
    const call = called(isCall ? (filter['args'] as unknown[]) : [], at)
    const name = String((isCall ? (filter['callee'] as Node) : filter)['value'])
    return { kind: 'call', name, args: [at(node['operand']), ...call.args], named: call.named }
  },
  CallExpression: (node, at) => {
    const callee = node['callee'] as Node
    const call = called(node['args'] as unknown[], at)
    if (callee.type === 'Identifier') return { kind: 'call', name: String(callee['value']), ...call }
    if (callee.type !== 'MemberExpression' || callee['computed'] === true) return undefined
    const name = String((callee['property'] as Node)['value'])
    const args = [at(callee['object']), ...call.args]
    return { kind: 'call', name, args, named: call.named, isMethod: true }
  },
}

const constants = new Map<string, Json>([
  ...(['none', 'None', 'null'] as const).map((name): [string, Json] => [name, null]),
  ...(['true', 'True'] as const).map((name): [string, Json] => [name, true]),
  ...(['false', 'False'] as const).map((name): [string, Json] => [name, false]),
])

const operatorOf = (node: Record<string, unknown>): string => {
  const operator = node['operator']
  return String(
    isObject(operator) || typeof operator === 'object' ? (operator as { value: unknown }).value : operator,
  )
}

const called = (args: readonly unknown[], at: At) => {
  const named: Record<string, Expression> = {}
  const plain: Expression[] = []
  for (const arg of args as Record<string, unknown>[]) {
    if (arg['type'] === 'KeywordArgumentExpression')
      named[String((arg['key'] as Record<string, unknown>)['value'])] = at(arg['value'])
    else plain.push(at(arg))
  }
  return { args: plain, named }
}

/** Parts of a text as one expression. */
export const joined = (parts: readonly Expression[]): Expression => {
  const [first, ...others] = parts
  if (first === undefined) return { kind: 'value', value: '' }
  return others.reduce<Expression>((left, right) => ({ kind: 'binary', operator: '~', left, right }), first)
}
