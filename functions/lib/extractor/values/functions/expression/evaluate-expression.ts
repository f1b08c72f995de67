import { didYouMean } from '#lib/errors/did-you-mean.ts'
import type { Json } from '#lib/json/json-value.ts'
import { isObject } from '#lib/json/json-value.ts'
import type { TextBudget } from '../../php/text-budget.ts'
import { plus } from '../duration.ts'
import type { ExpressionContext } from '../expression-types.ts'
import { type CallContext, expressionFunctions } from './expression-functions.ts'
import type { BinaryOperator, Expression } from './expression-tree.ts'
import { Moment, Span } from './moment-value.ts'
import { failed, isNumber, isTrue, numberOf, shown, textOf, type Worked } from './worked-value.ts'

/**
 * Works an expression out. What is missing is null, and so is a member of null. No expression has a loop, so the work is bounded by its
 * text, and the texts that it makes by the budget.
 *
 * @throws UserError `extractor.functions.*`
 */
export const evaluateExpression = (
  expression: Expression,
  contexts: ExpressionContext,
  call: CallContext,
): Json => {
  const value = work(expression, contexts, call)
  if (value instanceof Moment) return value.toString()
  if (value instanceof Span) throw failed('a length of time is no value: add it to a time')
  return value
}

const work = (expression: Expression, contexts: ExpressionContext, call: CallContext): Worked => {
  const at = (part: Expression): Worked => work(part, contexts, call)
  switch (expression.kind) {
    case 'value':
      return expression.value
    case 'name':
      if (Object.hasOwn(contexts, expression.name)) return contexts[expression.name] ?? null
      throw failed(
        `there is no "${expression.name}" here: there are ${Object.keys(contexts).join(', ') || 'no values'}`,
      )
    case 'member':
      return member(at(expression.of), at(expression.key))
    case 'list':
      return expression.items.map(item => jsonOf(at(item)))
    case 'object':
      return Object.fromEntries(
        expression.members.map(([key, value]) => [textOf(at(key)), jsonOf(at(value))]),
      )
    case 'not':
      return !isTrue(at(expression.of))
    case 'if':
      return at(isTrue(at(expression.test)) ? expression.yes : expression.no)
    case 'call':
      return callFunction(expression, at, call)
    case 'binary': {
      const left = at(expression.left)
      if (expression.operator === 'or') return isTrue(left) ? left : at(expression.right)
      if (expression.operator === 'and') return isTrue(left) ? at(expression.right) : left
      return combine(expression.operator, left, at(expression.right), call.budget)
    }
  }
}

const callFunction = (
  { name, args, named }: Extract<Expression, { kind: 'call' }>,
  at: (part: Expression) => Worked,
  call: CallContext,
): Worked => {
  const found = Object.hasOwn(expressionFunctions, name) ? expressionFunctions[name] : undefined
  if (found === undefined) {
    const meant = didYouMean(name, Object.keys(expressionFunctions))
    throw failed(`there is no function "${name}"${meant === undefined ? '' : `; did you mean "${meant}"?`}`)
  }
  const options = Object.fromEntries(Object.entries(named).map(([key, arg]) => [key, at(arg)]))
  const value = found(args.map(at), options, call)
  call.budget.spend(typeof value === 'string' ? value.length : 0)
  return value
}

/** A position may count from the end; `*` is that key of each item of a list. */
const member = (of: Worked, key: Worked): Worked => {
  if (Array.isArray(of)) {
    const position = Number(key)
    return Number.isInteger(position) && key !== null ? (of.at(position) ?? null) : null
  }
  const name = textOf(key)
  return isObject(of) && Object.hasOwn(of, name) ? (of[name] ?? null) : null
}

const combine = (
  operator: Exclude<BinaryOperator, 'or' | 'and'>,
  left: Worked,
  right: Worked,
  budget: TextBudget,
): Worked => {
  switch (operator) {
    case '==':
      return isSame(left, right)
    case '!=':
      return !isSame(left, right)
    case '<':
      return compare(left, right, order => order < 0)
    case '>':
      return compare(left, right, order => order > 0)
    case '<=':
      return compare(left, right, order => order <= 0)
    case '>=':
      return compare(left, right, order => order >= 0)
    case 'in':
      return contains(right, left)
    case 'not in':
      return !contains(right, left)
    case '~':
      return concat(textOf(left), textOf(right), budget)
    case '+':
    case '-':
      return sum(left, right, operator === '+' ? 1 : -1, budget)
    default:
      return calculate(operator, left, right)
  }
}

const concat = (left: string, right: string, budget: TextBudget): string => {
  budget.spend(left.length + right.length)
  return left + right
}

const sum = (left: Worked, right: Worked, sign: 1 | -1, budget: TextBudget): Worked => {
  if (left instanceof Moment && right instanceof Span) return new Moment(plus(left.ms, right, sign))
  if (left instanceof Span && right instanceof Moment && sign === 1) return new Moment(plus(right.ms, left))
  if (left instanceof Moment && right instanceof Moment && sign === -1)
    return new Span({ months: 0, milliseconds: left.ms - right.ms })
  if (left instanceof Span && right instanceof Span)
    return new Span({
      months: left.months + sign * right.months,
      milliseconds: left.milliseconds + sign * right.milliseconds,
    })
  if (sign === 1 && Array.isArray(left) && Array.isArray(right)) return [...left, ...right]
  if (sign === 1 && typeof left === 'string' && typeof right === 'string') return concat(left, right, budget)
  return numberOf(left) + sign * numberOf(right)
}

const calculate = (operator: '*' | '/' | '//' | '%', left: Worked, right: Worked): number => {
  const [a, b] = [numberOf(left), numberOf(right)]
  if (operator === '*') return a * b
  if (b === 0) throw failed('a division by zero')
  return operator === '/' ? a / b : operator === '//' ? Math.floor(a / b) : a - Math.floor(a / b) * b
}

const isSame = (left: Worked, right: Worked): boolean => {
  if (left instanceof Moment && right instanceof Moment) return left.ms === right.ms
  if (isNumber(left) && isNumber(right)) return Number(left) === Number(right)
  return left === right || JSON.stringify(left) === JSON.stringify(right)
}

/** Numbers with numbers, times with times, texts with texts: null is in no order. */
const compare = (left: Worked, right: Worked, holds: (order: number) => boolean): boolean => {
  if (left instanceof Moment && right instanceof Moment) return holds(left.ms - right.ms)
  if (typeof left === 'string' && typeof right === 'string')
    return holds(left < right ? -1 : left > right ? 1 : 0)
  if (isNumber(left) && isNumber(right)) return holds(Number(left) - Number(right))
  throw failed(`${shown(left)} and ${shown(right)} cannot be put in order`)
}

const contains = (all: Worked, one: Worked): boolean => {
  if (typeof all === 'string') return all.includes(textOf(one))
  if (Array.isArray(all)) return all.some(item => isSame(item, one))
  return isObject(all) && Object.hasOwn(all, textOf(one))
}

const jsonOf = (value: Worked): Json => {
  if (value instanceof Span) throw failed('a length of time is no value')
  return value instanceof Moment ? value.toString() : value
}
