import {
  binaryOperators,
  type Expression,
} from '#lib/extractor/values/functions/expression/expression-tree.ts'
import type { Json } from '#lib/json/json-value.ts'

export const printExpression = (expression: Expression): string => print(expression, 0)

/** @param outer how tightly what is around it binds */
const print = (expression: Expression, outer: number): string => {
  const inside = (text: string, strength: number): string => (strength < outer ? `(${text})` : text)
  switch (expression.kind) {
    case 'value':
      return typeof expression.value === 'number' && expression.value < 0
        ? inside(String(expression.value), 7)
        : literal(expression.value)
    case 'name':
      return expression.name
    case 'member': {
      const { of, key } = expression
      const isName = key.kind === 'value' && typeof key.value === 'string' && /^[A-Za-z_]\w*$/.test(key.value)
      return `${print(of, 9)}${isName ? `.${key.value}` : `[${print(key, 0)}]`}`
    }
    case 'call': {
      const { name, args, named, isMethod } = expression
      const [first, ...others] = args
      if (name.startsWith('is ') && first !== undefined) return inside(`${print(first, 8)} ${name}`, 7)
      const list = [...args.slice(isMethod === true ? 1 : 0).map(arg => print(arg, 0)), ...namedList(named)]
      if (isMethod === true && first !== undefined)
        return `${print(first, 9)}.${name}(${[...others.map(arg => print(arg, 0)), ...namedList(named)].join(', ')})`
      return `${name}(${list.join(', ')})`
    }
    case 'binary': {
      const { operator, left, right } = expression
      const strength = binaryOperators.findIndex(row => (row as readonly string[]).includes(operator)) + 2
      return inside(`${print(left, strength)} ${operator} ${print(right, strength + 1)}`, strength)
    }
    case 'not':
      return inside(`not ${print(expression.of, 3.5)}`, 3.5)
    case 'if':
      return inside(
        `${print(expression.yes, 2)} if ${print(expression.test, 2)} else ${print(expression.no, 1)}`,
        1,
      )
    case 'list':
      return `[${expression.items.map(item => print(item, 0)).join(', ')}]`
    case 'object':
      return `{${expression.members.map(([key, value]) => `${print(key, 0)}: ${print(value, 0)}`).join(', ')}}`
  }
}

const namedList = (named: Readonly<Record<string, Expression>>): string[] =>
  Object.entries(named).map(([name, arg]) => `${name}=${print(arg, 0)}`)

const literal = (value: Json): string => {
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`
  if (typeof value === 'object' && value !== null)
    return `{${Object.entries(value)
      .map(([key, inner]) => `${literal(key)}: ${literal(inner as Json)}`)
      .join(', ')}}`
  if (typeof value !== 'string') return value === null ? 'none' : String(value)
  const text = value
    .replaceAll('\\', '\\\\')
    .replaceAll("'", "\\'")
    .replaceAll('\n', '\\n')
    .replaceAll('\r', '\\r')
    .replaceAll('\t', '\\t')
  return `'${text}'`
}
