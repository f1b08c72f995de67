import { parse, tokenize } from '@huggingface/jinja'
import { UserError } from '#lib/errors/errors.ts'
import { isObject } from '../../php/php-values.ts'
import type { Json } from '../../tables/json-value.ts'
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

/** The tree of the parser as ours. It is looked at as data: its classes are a matter of its version. */
const toExpression = (given: unknown, text: string): Expression => {
  const node = given as Record<string, unknown> & { type: string } // every node of the parser has a type
  const at = (part: unknown): Expression => toExpression(part, text)
  const value = node['value']
  switch (node.type) {
    case 'StringLiteral':
    case 'IntegerLiteral':
    case 'FloatLiteral':
      return { kind: 'value', value: value as Json }
    case 'Identifier':
      return constants.has(String(value))
        ? { kind: 'value', value: constants.get(String(value)) ?? null }
        : { kind: 'name', name: String(value) }
    case 'ArrayLiteral':
    case 'TupleLiteral':
      return { kind: 'list', items: (value as unknown[]).map(at) }
    case 'ObjectLiteral':
      return {
        kind: 'object',
        members: [...(value as Map<unknown, unknown>)].map(([k, v]) => [at(k), at(v)]),
      }
    case 'MemberExpression': {
      const property = node['property'] as Record<string, unknown>
      if (property['type'] === 'SliceExpression') break
      return {
        kind: 'member',
        of: at(node['object']),
        key: node['computed'] === true ? at(property) : { kind: 'value', value: String(property['value']) },
      }
    }
    case 'UnaryExpression': {
      const of = at(node['argument'])
      const sign = operatorOf(node)
      if (sign === 'not') return { kind: 'not', of }
      return {
        kind: 'binary',
        operator: sign === '-' ? '-' : '+',
        left: { kind: 'value', value: 0 },
        right: of,
      }
    }
    case 'BinaryExpression': {
      const operator = operatorOf(node)
      if (!operators.has(operator)) break
      return {
        kind: 'binary',
        operator: operator as BinaryOperator,
        left: at(node['left']),
        right: at(node['right']),
      }
    }
    case 'Ternary':
      return {
        kind: 'if',
        test: at(node['condition']),
        yes: at(node['trueExpr']),
        no: at(node['falseExpr']),
      }
    case 'SelectExpression':
      return {
        kind: 'if',
        test: at(node['test']),
        yes: at(node['lhs']),
        no: { kind: 'value', value: null },
      }
    case 'If':
      return {
        kind: 'if',
        test: at(node['test']),
        yes: joined((node['body'] as unknown[]).map(at)),
        no: joined((node['alternate'] as unknown[]).map(at)),
      }
    case 'TestExpression': {
      const test = String((node['test'] as Record<string, unknown>)['value'])
      const is: Expression = {
        kind: 'call',
        name: `is ${test.toLowerCase()}`,
        args: [at(node['operand'])],
        named: {},
      }
      return node['negate'] === true ? { kind: 'not', of: is } : is
    }
    case 'FilterExpression': {
      const filter = node['filter'] as Record<string, unknown>
      const isCall = filter['type'] === 'CallExpression'
      const call = called(isCall ? (filter['args'] as unknown[]) : [], at)
      const name = String((isCall ? (filter['callee'] as Record<string, unknown>) : filter)['value'])
      return { kind: 'call', name, args: [at(node['operand']), ...call.args], named: call.named }
    }
    case 'CallExpression': {
      const callee = node['callee'] as Record<string, unknown>
      const call = called(node['args'] as unknown[], at)
      if (callee['type'] === 'Identifier') return { kind: 'call', name: String(callee['value']), ...call }
      if (callee['type'] !== 'MemberExpression' || callee['computed'] === true) break
      const name = String((callee['property'] as Record<string, unknown>)['value'])
      return {
        kind: 'call',
        name,
        args: [at(callee['object']), ...call.args],
        named: call.named,
        isMethod: true,
      }
    }
  }
  throw notRead(text, `${node.type} is no part of expressions here`)
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

const called = (args: readonly unknown[], at: (part: unknown) => Expression) => {
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
