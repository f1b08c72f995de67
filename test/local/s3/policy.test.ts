import { describe, expect, it } from 'vitest'
import { evaluatePolicy, matchesWildcards } from '#local/s3/auth/policy.ts'
import { type PolicyStatement, parsePolicy } from '#local/s3/auth/policy-document.ts'

const decide = (
  statement: Partial<PolicyStatement> | PolicyStatement[],
  request: { action?: string; resource?: string; context?: Record<string, string | string[]> } = {},
) => {
  const complete = Array.isArray(statement) ? statement : { ...allow, ...statement }
  return evaluatePolicy(parsePolicy({ Version: '2012-10-17', Statement: complete }), {
    action: 's3:GetObject',
    resource: 'arn:aws:s3:::box/in/a.csv',
    context: {},
    ...request,
  })
}
const allow: PolicyStatement = { Effect: 'Allow', Action: 's3:GetObject', Resource: 'arn:aws:s3:::box/in/*' }
const deny: PolicyStatement = { ...allow, Effect: 'Deny' }

describe('evaluatePolicy', () => {
  it.each<[Partial<PolicyStatement>, string]>([
    [{}, 'allowed'],
    [{ Action: ['s3:PutObject', 's3:GetObject'] }, 'allowed'],
    [{ Action: 's3:getobject' }, 'allowed'],
    [{ Action: 's3:GetObject*' }, 'allowed'],
    [{ Action: 's3:*' }, 'allowed'],
    [{ Action: '*' }, 'allowed'],
    [{ Action: 's3:PutObject' }, 'notAllowed'],
    [{ Action: 's3:Get' }, 'notAllowed'],
    [{ Resource: ['arn:aws:s3:::other/*', 'arn:aws:s3:::box/*'] }, 'allowed'],
    [{ Resource: 'arn:aws:s3:::box/in/?.csv' }, 'allowed'],
    [{ Resource: 'arn:aws:s3:::box/IN/*' }, 'notAllowed'],
    [{ Resource: 'arn:aws:s3:::box' }, 'notAllowed'],
    [{ Resource: 'arn:aws:s3:::box/in/a.csv.bak' }, 'notAllowed'],
    [{ Effect: 'Deny' }, 'denied'],
  ])('%j makes it %s', (statement, decision) => {
    expect(decide(statement)).toBe(decision)
  })

  it('lets a Deny win over any Allow', () => {
    expect(decide([allow, deny])).toBe('denied')
    expect(decide([deny, allow])).toBe('denied')
  })

  const prefix = { context: { 's3:prefix': 'in/2026/' } }
  it.each<[NonNullable<PolicyStatement['Condition']>, string]>([
    [{ StringEquals: { 's3:prefix': 'in/2026/' } }, 'allowed'],
    [{ StringEquals: { 's3:prefix': ['x', 'in/2026/'] } }, 'allowed'],
    [{ StringEquals: { 's3:prefix': 'in/*' } }, 'notAllowed'],
    [{ StringLike: { 's3:prefix': 'in/*' } }, 'allowed'],
    [{ StringLike: { 'S3:Prefix': 'in/*' } }, 'allowed'],
    [{ StringLike: { 's3:prefix': 'out/*' } }, 'notAllowed'],
    [{ StringNotLike: { 's3:prefix': 'out/*' } }, 'allowed'],
    [{ StringNotEquals: { 's3:prefix': 'in/2026/' } }, 'notAllowed'],
    [{ StringEquals: { 's3:delimiter': '/' } }, 'notAllowed'],
    [{ StringEqualsIfExists: { 's3:delimiter': '/' } }, 'allowed'],
    [{ Null: { 's3:delimiter': 'true' } }, 'allowed'],
    [{ Null: { 's3:prefix': true } }, 'notAllowed'],
    [{ StringLike: { 's3:prefix': 'in/*' }, StringEquals: { 's3:delimiter': '/' } }, 'notAllowed'],
    [{ Bool: { 'aws:SecureTransport': 'true' } }, 'notAllowed'],
    [{ StringMatches: { 's3:prefix': 'in/*' } }, 'notAllowed'],
    [{ constructor: { 's3:prefix': 'in/*' } }, 'notAllowed'],
    [{ StringEquals: { 's3:unheard-of': 'x' } }, 'notAllowed'],
    [{ StringNotEquals: { 's3:unheard-of': 'x' } }, 'notAllowed'],
    [{ 'ForAnyValue:StringLike': { 's3:prefix': '*' } }, 'notAllowed'],
  ])('with %j it is %s', (Condition, decision) => {
    expect(decide({ Condition }, prefix)).toBe(decision)
  })

  it('applies a Deny whose condition it does not know', () => {
    const unknown = { ...deny, Condition: { IpAddress: { 'aws:SourceIp': '10.0.0.0/8' } } }
    expect(decide([allow, unknown])).toBe('denied')
  })
})

describe('parsePolicy', () => {
  it.each([
    ['NotAction', { Effect: 'Allow', NotAction: 's3:*', Resource: '*' }],
    ['NotResource', { Effect: 'Allow', Action: 's3:*', NotResource: '*' }],
    ['Principal', { ...allow, Principal: '*' }],
    ['Effect', { ...allow, Effect: 'Maybe' }],
    ['Resources', { ...allow, Resources: '*' }],
    ['variables', { ...allow, Resource: `arn:aws:s3:::box/$${'{aws:username}'}/*` }],
  ])('refuses %s by name', (name, statement) => {
    expect(() => parsePolicy({ Statement: [statement] })).toThrow(name)
  })
  it.each([undefined, null, 'text', 7, [], {}, { Statement: 'x' }])('refuses %j', document => {
    expect(() => parsePolicy(document)).toThrow(expect.objectContaining({ name: 'MalformedPolicyError' }))
  })
})

describe('matchesWildcards', () => {
  it.each([
    ['', '', true],
    ['*', '', true],
    ['*', 'anything/at/all', true],
    ['a*c', 'abbbc', true],
    ['a*c', 'abbb', false],
    ['a?c', 'abc', true],
    ['a?c', 'ac', false],
    ['*a*b*', 'xxaxxbxx', true],
    ['a', 'ab', false],
    ['a.c', 'abc', false],
    ['a*', '*', false],
    ['*b', 'a*b', true],
  ])('%j and %j: %s', (pattern, text, matches) => {
    expect(matchesWildcards(pattern, text)).toBe(matches)
  })

  it('takes no time for patterns that would take for ever', () => {
    expect(matchesWildcards('a*'.repeat(50), `${'a'.repeat(5000)}b`)).toBe(true)
    expect(matchesWildcards(`${'a*'.repeat(50)}c`, 'a'.repeat(5000))).toBe(false)
  })
})

it.each([
  [['JOBS#1', 'OPEN_JOBS'], 'allowed'],
  [['JOBS#1', 'TOKENS'], 'notAllowed'],
  [['JOBS'], 'notAllowed'],
  [[], 'allowed'],
])('a condition on all keys of items lets %j be %s', (keys, decision) => {
  const Condition = { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': ['JOBS#*', 'OPEN_JOBS'] } }
  expect(decide({ Condition }, { context: { 'dynamodb:leadingkeys': keys } })).toBe(decision)
})
