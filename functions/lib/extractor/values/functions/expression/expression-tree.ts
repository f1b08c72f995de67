import type { Json } from '#lib/json/json-value.ts'

/** A read expression: what the grammar gives, without blanks and brackets. */
export type Expression =
  | { kind: 'value'; value: Json }
  | { kind: 'name'; name: string }
  | { kind: 'member'; of: Expression; key: Expression }
  | { kind: 'call'; name: string; args: Expression[]; named: Record<string, Expression>; isMethod?: boolean }
  | { kind: 'binary'; operator: BinaryOperator; left: Expression; right: Expression }
  | { kind: 'not'; of: Expression }
  | { kind: 'if'; test: Expression; yes: Expression; no: Expression }
  | { kind: 'list'; items: Expression[] }
  | { kind: 'object'; members: [Expression, Expression][] }

/** From those that bind loosest. */
export const binaryOperators = [
  ['or'],
  ['and'],
  ['in', 'not in', '==', '!=', '<', '>', '<=', '>='],
  ['+', '-', '~'],
  ['*', '/', '//', '%'],
] as const

export type BinaryOperator = (typeof binaryOperators)[number][number]

/** Its parts, each read anew: for what changes expressions. */
export const withParts = (expression: Expression, change: (part: Expression) => Expression): Expression => {
  switch (expression.kind) {
    case 'member':
      return { ...expression, of: change(expression.of), key: change(expression.key) }
    case 'call':
      return {
        ...expression,
        args: expression.args.map(change),
        named: Object.fromEntries(Object.entries(expression.named).map(([name, arg]) => [name, change(arg)])),
      }
    case 'binary':
      return { ...expression, left: change(expression.left), right: change(expression.right) }
    case 'not':
      return { ...expression, of: change(expression.of) }
    case 'if':
      return {
        ...expression,
        test: change(expression.test),
        yes: change(expression.yes),
        no: change(expression.no),
      }
    case 'list':
      return { ...expression, items: expression.items.map(change) }
    case 'object':
      return {
        ...expression,
        members: expression.members.map(([key, value]) => [change(key), change(value)]),
      }
    default:
      return expression
  }
}
