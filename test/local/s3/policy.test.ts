import { describe, expect, it } from 'vitest'
import { isAllowedBy, matchesWildcards } from '#local/s3/auth/policy.ts'
import { type PolicyDocument, parsePolicy } from '#local/s3/auth/policy-document.ts'

type PolicyStatement = PolicyDocument['Statement'][number]

const decide = (
  statement: Partial<PolicyStatement> | PolicyStatement[],
  request: { action?: string; resource?: string; context?: Record<string, string | string[]> } = {},
) => {
  const complete = Array.isArray(statement) ? statement : [{ ...allow, ...statement }]
  return isAllowedBy(parsePolicy({ Version: '2012-10-17', Statement: complete }), {
    action: 's3:GetObject',
    resource: 'arn:aws:s3:::box/in/a.csv',
    context: {},
    ...request,
  })
}
const allow: PolicyStatement = { Effect: 'Allow', Action: 's3:GetObject', Resource: 'arn:aws:s3:::box/in/*' }
const deny: PolicyStatement = { ...allow, Effect: 'Deny' }

describe('isAllowedBy', () => {
  it.each<[Partial<PolicyStatement>, boolean]>([
    [{}, true],
    [{ Action: ['s3:PutObject', 's3:GetObject'] }, true],
    [{ Action: 's3:getobject' }, true],
    [{ Action: 's3:GetObject*' }, true],
    [{ Action: 's3:*' }, true],
    [{ Action: '*' }, true],
    [{ Action: 's3:PutObject' }, false],
    [{ Action: 's3:Get' }, false],
    [{ Resource: ['arn:aws:s3:::other/*', 'arn:aws:s3:::box/*'] }, true],
    [{ Resource: 'arn:aws:s3:::box/in/?.csv' }, true],
    [{ Resource: 'arn:aws:s3:::box/IN/*' }, false],
    [{ Resource: 'arn:aws:s3:::box' }, false],
    [{ Resource: 'arn:aws:s3:::box/in/a.csv.bak' }, false],
    [{ Effect: 'Deny' }, false],
  ])('%j: %s', (statement, decision) => {
    expect(decide(statement)).toBe(decision)
  })

  it('lets a Deny win over any Allow', () => {
    expect(decide([allow, deny])).toBe(false)
    expect(decide([deny, allow])).toBe(false)
  })

  const prefix = { context: { 's3:prefix': 'in/2026/' } }
  it.each<[NonNullable<PolicyStatement['Condition']>, boolean]>([
    [{ StringEquals: { 's3:prefix': 'in/2026/' } }, true],
    [{ StringEquals: { 's3:prefix': ['x', 'in/2026/'] } }, true],
    [{ StringEquals: { 's3:prefix': 'in/*' } }, false],
    [{ StringLike: { 's3:prefix': 'in/*' } }, true],
    [{ StringLike: { 'S3:Prefix': 'in/*' } }, true],
    [{ StringLike: { 's3:prefix': 'out/*' } }, false],
    [{ StringEquals: { 's3:x-amz-acl': 'private' } }, false],
    [{ StringLike: { 's3:prefix': 'in/*' }, StringEquals: { 's3:x-amz-acl': 'private' } }, false],
    [{ Bool: { 'aws:SecureTransport': 'true' } }, false],
  ])('with %j: %s', (Condition, decision) => {
    expect(decide({ Condition }, prefix)).toBe(decision)
  })
})

describe('parsePolicy', () => {
  it.each([
    ['NotAction', { Effect: 'Allow', NotAction: 's3:*', Resource: '*' }],
    ['NotResource', { Effect: 'Allow', Action: 's3:*', NotResource: '*' }],
    ['Principal', { ...allow, Principal: '*' }],
    ['Effect', { ...allow, Effect: 'Maybe' }],
    ['Resources', { ...allow, Resources: '*' }],
    ['StringNotEquals', { ...allow, Condition: { StringNotEquals: { 's3:prefix': 'x' } } }],
    ['constructor', { ...allow, Condition: { constructor: { 's3:prefix': 'x' } } }],
    ['aws:SourceIp', { ...deny, Condition: { StringEquals: { 'aws:SourceIp': '10.0.0.1' } } }],
    ['variables', { ...allow, Resource: `arn:aws:s3:::box/$${'{aws:username}'}/*` }],
  ])('refuses %s by name', (name, statement) => {
    expect(() => parsePolicy({ Statement: [statement] })).toThrow(name)
  })
  it.each([undefined, null, 'text', 7, [], {}, { Statement: 'x' }, { Statement: allow }])(
    'refuses %j',
    document => {
      expect(() => parsePolicy(document)).toThrow('The policy is not valid')
    },
  )
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
  [['JOBS#1', 'OPEN_JOBS'], true],
  [['JOBS#1', 'TOKENS'], false],
  [['JOBS'], false],
  [[], true],
])('a condition on all keys of items with %j: %s', (keys, decision) => {
  const Condition = { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': ['JOBS#*', 'OPEN_JOBS'] } }
  expect(decide({ Condition }, { context: { 'dynamodb:leadingkeys': keys } })).toBe(decision)
})
