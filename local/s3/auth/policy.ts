import type { Statement } from './policy-document.ts'

/** One action on one resource. */
export interface AccessRequest {
  /** `s3:GetObject` */
  action: string
  /** `arn:aws:s3:::bucket/key` */
  resource: string
  /** Values of the condition keys that this request has, lower-case names: `s3:prefix`. Some keys have several. */
  context: Readonly<Record<string, string | readonly string[]>>
}

type Decision = 'allowed' | 'denied' | 'notAllowed'

/**
 * What one policy says: an explicit Deny beats every Allow, and without an Allow nothing is allowed
 * (IAM User Guide, "Policy evaluation logic").
 */
export const evaluatePolicy = (statements: readonly Statement[], request: AccessRequest): Decision => {
  const applying = statements.filter(statement => applies(statement, request))
  if (applying.some(({ effect }) => effect === 'Deny')) return 'denied'
  return applying.length > 0 ? 'allowed' : 'notAllowed'
}

const applies = (statement: Statement, request: AccessRequest): boolean =>
  // Actions are compared without case, resources with.
  statement.actions.some(action => matchesWildcards(action.toLowerCase(), request.action.toLowerCase())) &&
  statement.resources.some(resource => matchesWildcards(resource, request.resource)) &&
  statement.conditions.every(condition => {
    const holds = evaluateCondition(condition, request.context)
    // An unknown condition never grants: an Allow does not apply, a Deny does.
    return holds ?? statement.effect === 'Deny'
  })

/** The condition keys that requests here may have. Any other key in a policy is unknown. */
const knownKeys = new Set([
  'aws:securetransport',
  'aws:sourceaccount',
  'aws:sourcearn',
  'dynamodb:leadingkeys',
  's3:prefix',
  's3:delimiter',
  's3:max-keys',
  's3:x-amz-acl',
  's3:x-amz-server-side-encryption',
  's3:x-amz-storage-class',
])

const evaluateCondition = (
  condition: Statement['conditions'][number],
  context: AccessRequest['context'],
): boolean | undefined => {
  const key = condition.key.toLowerCase()
  if (!knownKeys.has(key)) return undefined
  const actual = context[key]
  if (condition.operator.startsWith(FOR_ALL)) {
    const compare = comparisons.get(condition.operator.slice(FOR_ALL.length))
    // IAM User Guide, "Set operators for multivalued context keys": without a value it holds.
    return compare && [actual ?? []].flat().every(one => condition.values.some(value => compare(value, one)))
  }
  if (typeof actual === 'object') return undefined
  const isIfExists = condition.operator.endsWith('IfExists')
  const operator = isIfExists ? condition.operator.slice(0, -'IfExists'.length) : condition.operator
  if (operator === 'Null' && !isIfExists)
    return condition.values.some(value => (value.toLowerCase() === 'true') === (actual === undefined))

  const isNegated = negations.has(operator)
  const compare = comparisons.get(negations.get(operator) ?? operator)
  if (compare === undefined) return undefined
  // IAM User Guide, "Condition operators": without the key, a negated operator holds and a plain one does not.
  if (actual === undefined) return isIfExists || isNegated
  return condition.values.some(value => compare(value, actual)) !== isNegated
}

const FOR_ALL = 'ForAllValues:'

const negations = new Map([
  ['StringNotEquals', 'StringEquals'],
  ['StringNotEqualsIgnoreCase', 'StringEqualsIgnoreCase'],
  ['StringNotLike', 'StringLike'],
])

const comparisons = new Map<string, (wanted: string, actual: string) => boolean>([
  ['StringEquals', (wanted, actual) => wanted === actual],
  ['StringEqualsIgnoreCase', (wanted, actual) => wanted.toLowerCase() === actual.toLowerCase()],
  ['StringLike', (wanted, actual) => matchesWildcards(wanted, actual)],
  // IAM User Guide, "Amazon Resource Name (ARN) condition operators": both take wildcards.
  ['ArnEquals', (wanted, actual) => matchesWildcards(wanted, actual)],
  ['ArnLike', (wanted, actual) => matchesWildcards(wanted, actual)],
  ['Bool', (wanted, actual) => wanted.toLowerCase() === actual.toLowerCase()],
  ['NumericEquals', (wanted, actual) => Number(actual) === Number(wanted)],
  ['NumericLessThanEquals', (wanted, actual) => Number(actual) <= Number(wanted)],
])

/**
 * Whether `text` matches `pattern`, where `*` stands for any characters and `?` for exactly one.
 *
 * Not a regular expression: patterns come from outside, and `a*a*a*...` must not take for ever.
 */
export const matchesWildcards = (pattern: string, text: string): boolean => {
  let [at, star, retry] = [0, -1, 0]
  let p = 0
  while (at < text.length) {
    if (p < pattern.length && (pattern[p] === '?' || pattern[p] === text[at]) && pattern[p] !== '*') {
      p++
      at++
    } else if (pattern[p] === '*') {
      star = p++
      retry = at
    } else if (star !== -1) {
      p = star + 1
      at = ++retry
    } else return false
  }
  while (pattern[p] === '*') p++
  return p === pattern.length
}
