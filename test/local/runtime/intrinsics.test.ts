// biome-ignore-all lint/suspicious/noTemplateCurlyInString: this is how Fn::Sub is written
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decide, resolve, type Scope } from '#local/runtime/template/intrinsics.ts'

const scope: Scope = {
  ref: name => {
    const known: Record<string, unknown> = {
      Bucket: 'landing',
      'AWS::Region': 'us-east-1',
    }
    if (!(name in known)) throw new Error(`unknown ${name}`)
    return known[name]
  },
  getAtt: (logicalId, attribute) => `${logicalId}/${attribute}`,
  condition: name => name === 'Yes',
}

describe('resolve', () => {
  it.each<[string, unknown, unknown]>([
    ['a reference', { Ref: 'Bucket' }, 'landing'],
    ['an attribute', { 'Fn::GetAtt': ['Bucket', 'Arn'] }, 'Bucket/Arn'],
    ['an attribute in dotted form', { 'Fn::GetAtt': 'Bucket.Arn' }, 'Bucket/Arn'],
    ['a join', { 'Fn::Join': ['-', ['a', { Ref: 'Bucket' }, 1]] }, 'a-landing-1'],
    ['a substitution', { 'Fn::Sub': 'x-${AWS::Region}-${Bucket.Arn}' }, 'x-us-east-1-Bucket/Arn'],
    [
      'a substitution with variables',
      { 'Fn::Sub': ['${a}${Bucket}', { a: { Ref: 'Bucket' } }] },
      'landinglanding',
    ],
    ['a literal in a substitution', { 'Fn::Sub': '${!Literal}' }, '${Literal}'],
    ['a selection', { 'Fn::Select': [1, { 'Fn::Split': [':', 'a:b:c'] }] }, 'b'],
    ['a text index', { 'Fn::Select': ['0', ['a']] }, 'a'],
  ])('resolves %s', (_case, value, expected) => {
    expect(resolve(value, scope)).toEqual(expected)
  })

  it.each([
    [{ 'Fn::ImportValue': 'other' }, 'Fn::ImportValue'],
    [{ 'Fn::FindInMap': ['a', 'b', 'c'] }, 'Fn::FindInMap'],
    [{ nested: [{ 'Fn::GetAZs': '' }] }, 'Fn::GetAZs'],
    [{ 'Fn::If': ['Yes', 'a', 'b'] }, 'Fn::If'],
    [{ 'Fn::Select': [3, ['a']] }, 'no item 3'],
    [{ 'Fn::Join': ['-', [{ a: 1 }]] }, 'is not text'],
  ])('refuses %j by name', (value, message) => {
    expect(() => resolve(value, scope)).toThrow(message)
  })

  it('leaves every value without intrinsics as it is', () => {
    fc.assert(
      fc.property(fc.jsonValue(), value => {
        const text = JSON.stringify(value)
        fc.pre(!text.includes('"Ref"') && !text.includes('"Fn::') && !text.includes('__proto__'))
        expect(resolve(value, scope)).toEqual(value)
      }),
    )
  })

  it('undoes Split with Join', () => {
    fc.assert(
      fc.property(fc.string(), fc.string({ minLength: 1 }), (text, delimiter) => {
        expect(resolve({ 'Fn::Join': [delimiter, { 'Fn::Split': [delimiter, text] }] }, scope)).toBe(text)
      }),
    )
  })
})

describe('decide', () => {
  const isRegion = (region: string) => ({ 'Fn::Equals': [{ Ref: 'AWS::Region' }, region] })

  it.each<[unknown, boolean]>([
    [isRegion('us-east-1'), true],
    [isRegion('eu-west-1'), false],
    [{ 'Fn::Or': [isRegion('eu-west-1'), isRegion('us-east-1')] }, true],
    [{ Condition: 'Yes' }, true],
    [{ 'Fn::Or': [{ Condition: 'No' }, { Condition: 'Yes' }] }, true],
  ])('decides %j', (condition, expected) => {
    expect(decide(condition, scope)).toBe(expected)
  })
})
