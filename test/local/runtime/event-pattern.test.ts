import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compilePattern } from '#local/runtime/events/event-pattern.ts'

const event = {
  source: 'aws.s3',
  'detail-type': 'Object Created',
  resources: ['arn:aws:s3:::landing', 'arn:other'],
  detail: { bucket: { name: 'landing' }, object: { key: 'in/orders.CSV', size: 120 }, owner: null },
}

describe('compilePattern', () => {
  it.each<[string, object, boolean]>([
    ['an exact value', { source: ['aws.s3'] }, true],
    ['another value', { source: ['aws.ec2'] }, false],
    ['one of several values', { source: ['aws.ec2', 'aws.s3'] }, true],
    ['all fields', { source: ['aws.s3'], 'detail-type': ['Object Deleted'] }, false],
    ['a nested field', { detail: { bucket: { name: ['landing'] } } }, true],
    ['a field that is not there', { detail: { bucket: { region: ['x'] } } }, false],
    ['an item of a list', { resources: ['arn:other'] }, true],
    ['null', { detail: { owner: [null] } }, true],
    ['prefix', { detail: { object: { key: [{ prefix: 'in/' }] } } }, true],
    ['another prefix', { detail: { object: { key: [{ prefix: 'out/' }] } } }, false],
    ['anything-but', { source: [{ 'anything-but': ['aws.ec2'] }] }, true],
    ['anything-but the value', { source: [{ 'anything-but': 'aws.s3' }] }, false],
    ['anything-but of a field that is not there', { account: [{ 'anything-but': 'x' }] }, false],
    ['exists', { detail: { owner: [{ exists: true }] } }, true],
    ['does not exist', { detail: { owner: [{ exists: false }] } }, false],
    ['nothing there', { detail: { reason: [{ exists: false }] } }, true],
  ])('matches %s: %j -> %s', (_case, pattern, expected) => {
    expect(compilePattern(pattern)(event)).toBe(expected)
  })

  it.each<[string, object, object, boolean]>([
    ['an object does not exist', { a: [{ exists: true }] }, { a: { b: 1 } }, false],
    ['nor does an empty list', { a: [{ exists: false }] }, { a: [] }, true],
    ['a value in a list does', { a: [{ exists: true }] }, { a: [null] }, true],
    ['an object is not anything but a value', { a: [{ 'anything-but': 'x' }] }, { a: { b: 1 } }, false],
    ['a name with a dot is two names', { a: { b: ['x'] } }, { 'a.b': 'x' }, true],
    ['two names are one with a dot', { 'a.b': ['x'] }, { a: { b: 'x' } }, true],
    [
      'fields are of one item',
      { a: { b: [1], c: [2] } },
      {
        a: [
          { b: 1, c: 1 },
          { b: 2, c: 2 },
        ],
      },
      false,
    ],
    [
      'all fields of one item',
      { a: { b: [1], c: [2] } },
      {
        a: [
          { b: 2, c: 2 },
          { b: 1, c: 2 },
        ],
      },
      true,
    ],
  ])('%s', (_case, pattern, given, expected) => {
    expect(compilePattern(pattern)(given)).toBe(expected)
  })

  it.each<[object, string]>([
    [{ source: [{ cidr: '10.0.0.0/8' }] }, 'EventPattern.source: the operator cidr'],
    [
      { detail: { key: [{ prefix: 'a', suffix: 'b' }] } },
      'EventPattern.detail.key: the operator prefix, suffix',
    ],
    [{ detail: { key: [{ prefix: { 'equals-ignore-case': 'a' } }] } }, 'prefix takes a text'],
    [{ source: [{ 'anything-but': { prefix: 'a' } }] }, 'anything-but takes values'],
    [{ $or: [{ source: ['a'] }] }, 'EventPattern.$or: alternatives are not known'],
    [{ source: 'aws.s3' }, 'a pattern is an object'],
    [{ source: [['aws.s3']] }, 'is not a value'],
  ])('refuses %j by name', (pattern, message) => {
    expect(() => compilePattern(pattern)).toThrow(message)
  })

  const scalar = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null))

  it('matches an event with the pattern of its own values', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.stringMatching(/^[a-z]{1,8}$/), scalar), fields => {
        const pattern = Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, [value]]))
        expect(compilePattern(pattern)(fields)).toBe(true)
      }),
    )
  })

  it('gives opposite answers for anything-but and the exact value', () => {
    fc.assert(
      fc.property(scalar, scalar, (value, other) => {
        const exact = compilePattern({ a: [other] })({ a: value })
        expect(compilePattern({ a: [{ 'anything-but': [other] }] })({ a: value })).toBe(!exact)
      }),
    )
  })
})
