import type { Mutant } from './mutants-of.ts'

/** A node of the syntax tree, of which only what a change needs is looked at. */
export interface Node {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly [name: string]: unknown
}

type Change = Omit<Mutant, 'file' | 'line'>

export const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string'

const carriers = ['TSAsExpression', 'TSSatisfiesExpression', 'TSNonNullExpression']

/** Whether nothing of it is left when the program runs. */
export const onlyTypes = ({ type }: Node): boolean =>
  type === 'ImportDeclaration' || (type.startsWith('TS') && !carriers.includes(type))

const otherOperators: Readonly<Record<string, string>> = {
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '===': '!==',
  '!==': '===',
  '-': '+',
  '*': '/',
  '/': '*',
  '%': '*',
  '&&': '||',
  '||': '&&',
}

/** Methods whose result has the type of what they are called on: a program without the call is one, too. */
const droppable = [
  'concat',
  'filter',
  'flat',
  'slice',
  'toLowerCase',
  'toReversed',
  'toSorted',
  'toUpperCase',
  'trim',
  'trimEnd',
]

/** What can be changed at this node itself. */
export const changesOf = (node: Node, source: string): Change[] => {
  const textOf = (part: unknown): string => (isNode(part) ? source.slice(part.start, part.end) : '')
  const instead = (kind: Mutant['kind'], replacement: string, part: unknown = node): Change[] =>
    isNode(part) && textOf(part) !== replacement
      ? [{ kind, start: part.start, end: part.end, replacement }]
      : []
  switch (node.type) {
    case 'BinaryExpression':
    case 'LogicalExpression':
      return operatorChanges(node, source)
    case 'UnaryExpression':
      return node.operator === '!' ? instead('operator', textOf(node.argument)) : []
    case 'Literal':
      if (typeof node.value === 'boolean') return instead('boolean', String(!node.value))
      return typeof node.value === 'number' ? instead('bound', String(node.value + 1)) : []
    case 'ExpressionStatement':
      return statementChanges(node, textOf)
    case 'CallExpression':
      return isNode(node.callee) && droppable.includes(textOf(node.callee.property))
        ? instead('call', textOf(node.callee.object))
        : []
    case 'IfStatement':
      return [...instead('condition', 'true', node.test), ...instead('condition', 'false', node.test)]
    case 'ConditionalExpression':
      return [
        ...instead('condition', `(${textOf(node.consequent)})`),
        ...instead('condition', `(${textOf(node.alternate)})`),
      ]
    case 'ReturnStatement':
      return isNode(node.argument) ? instead('return', constantFor(node.argument, source), node.argument) : []
    case 'ArrowFunctionExpression':
      return node.expression === true && isNode(node.body)
        ? instead('return', constantFor(node.body, source), node.body)
        : []
    default:
      return []
  }
}

const operatorChanges = ({ left, right, operator, start, end }: Node, source: string): Change[] => {
  if (!isNode(left) || !isNode(right) || typeof operator !== 'string') return []
  if (operator === '??')
    return [{ kind: 'condition', start, end, replacement: `(${source.slice(start, left.end)})` }]
  const other = operator === '+' && (isNumber(left) || isNumber(right)) ? '-' : otherOperators[operator]
  const place = source.indexOf(operator, left.end)
  return other === undefined
    ? []
    : [{ kind: 'operator', start: place, end: place + operator.length, replacement: other }]
}

const isNumber = ({ value }: Node): boolean => typeof value === 'number'

const statementChanges = ({ expression }: Node, textOf: (node: unknown) => string): Change[] => {
  if (!isNode(expression)) return []
  const { start, end } = expression
  const isAwaited = expression.type === 'AwaitExpression'
  const called = isAwaited ? expression.argument : expression
  if (!isNode(called) || called.type !== 'CallExpression' || textOf(called.callee) === 'super') return []
  const dropped: Change = { kind: 'call', start, end, replacement: 'void 0' }
  return isAwaited
    ? [dropped, { kind: 'await', start, end, replacement: `void ${textOf(called)}` }]
    : [dropped]
}

/** A value of the kind that the expression most likely has. */
const constantFor = (node: Node, source: string): string => {
  if (node.type === 'ArrayExpression') return '[]'
  if (node.type === 'TemplateLiteral') return "''"
  if (node.type === 'UnaryExpression' && node.operator === '!') return 'true'
  if (node.type === 'BinaryExpression' || node.type === 'LogicalExpression')
    return /[<>&|=]/.test(String(node.operator)) ? 'true' : '0'
  if (node.type === 'CallExpression' && isNode(node.callee) && isNode(node.callee.property)) {
    const method = source.slice(node.callee.property.start, node.callee.property.end)
    if (/^(?:map|filter|flatMap|toSorted|split|keys|values|entries)$/.test(method)) return '[]'
    if (/^(?:some|every|includes|has|test|startsWith|endsWith)$/.test(method)) return 'true'
    if (/^(?:join|replace|replaceAll|slice|trim|toString)$/.test(method)) return "''"
  }
  return 'undefined'
}
