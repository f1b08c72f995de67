import { FOR_ALL, type Statement } from './policy-document.ts'

/** One action on one resource. */
export interface AccessRequest {
  /** `s3:GetObject` */
  action: string
  /** `arn:aws:s3:::bucket/key` */
  resource: string
  /** Values of the condition keys that this request has, lower-case names: `s3:prefix`. Some keys have several. */
  context: Readonly<Record<string, string | readonly string[]>>
}

/**
 * Whether a policy allows it: an explicit Deny beats every Allow, and without an Allow nothing is allowed
 * (IAM User Guide, "Policy evaluation logic").
 */
export const isAllowedBy = (statements: readonly Statement[], request: AccessRequest): boolean => {
  const applying = statements.filter(statement => applies(statement, request))
  return applying.length > 0 && applying.every(({ effect }) => effect === 'Allow')
}

const applies = ({ actions, resources, conditions }: Statement, request: AccessRequest): boolean =>
  // Actions are compared without case, resources with.
  actions.some(action => matchesWildcards(action.toLowerCase(), request.action.toLowerCase())) &&
  resources.some(resource => matchesWildcards(resource, request.resource)) &&
  conditions.every(condition => holds(condition, request.context[condition.key]))

const holds = (
  { operator, values }: Statement['conditions'][number],
  actual: string | readonly string[] | undefined,
): boolean => {
  const isEqual = operator === 'StringEquals' || operator === 'Bool'
  const matches = (one: string): boolean =>
    values.some(value => (isEqual ? value === one : matchesWildcards(value, one)))
  // Without a value, an operator on all values holds and any other does not.
  if (operator === FOR_ALL) return [actual ?? []].flat().every(matches)
  return typeof actual === 'string' && matches(actual)
}

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
