import { describe, expect, it } from 'vitest'
import {
  compareAdded,
  compareAppends,
  compareExport,
  compareFull,
  compareKeyed,
  compareValue,
  compareVersions,
  type Load,
  settle,
} from './model.ts'

const load = (mark: string, isAcknowledged: boolean, ids: readonly string[] = [mark]): Load => ({
  mark,
  step: Number(mark.split('-')[0]),
  isAcknowledged,
  rows: ids.map(id => ({ id, value: mark })),
})
const row = (id: string, value = id) => ({ id, value })

describe('full loads', () => {
  const loads = [load('1', true), load('2', false), load('3', true), load('4', false)]
  it.each([
    ['3', true],
    ['4', true],
    ['1', false],
    ['2', false],
  ])('after 1 and 3 were acknowledged, %s in the table is right: %s', (mark, isRight) => {
    expect(compareFull('table', loads, [row(mark)]).length === 0).toBe(isRight)
  })

  it('an empty table is right until something is acknowledged', () => {
    expect(compareFull('table', [load('1', false)], [])).toEqual([])
    expect(compareFull('table', [load('1', true)], [])).toMatchObject([{ step: 1 }])
  })
})

describe('appends', () => {
  const loads = [load('1', true, ['a', 'b']), load('2', false, ['c', 'd'])]
  const [a, b, c, d] = [row('a', '1'), row('b', '1'), row('c', '2'), row('d', '2')]
  it.each([
    ['each acknowledged load', [a, b], 0],
    ['an attempt that nobody acknowledged', [a, b, c, d], 0],
    ['nothing of an acknowledged load', [c, d], 1],
    ['half of a load', [a, b, c], 1],
    ['a load twice', [a, b, a, b], 1],
    ['an unacknowledged load twice', [a, b, c, d, c, d], 1],
    ['a row of nobody', [a, b, row('x')], 1],
  ])('%s', (_, seen, differences) => {
    expect(compareAppends('table', loads, seen)).toHaveLength(differences)
  })

  it('an export may lack what is under way, but holds nothing twice', () => {
    expect(compareExport('export', loads, [])).toEqual([])
    expect(compareExport('export', loads, [a, b, a, b])).toMatchObject([{ step: 1 }])
  })
})

describe('keyed loads', () => {
  const loads = [load('1', true, ['a', 'b']), load('2', true, ['b']), load('3', false, ['a'])]
  it.each([
    ['the fold in order', [row('a', '1'), row('b', '2')], []],
    ['the attempt after it', [row('a', '3'), row('b', '2')], []],
    ['an old value', [row('a', '1'), row('b', '1')], [2]],
    ['a key twice', [row('a', '1'), row('b', '2'), row('b', '2')], [2]],
    ['a missing key', [row('b', '2')], [1]],
    ['a key of nobody', [row('a', '1'), row('b', '2'), row('c', '2')], [3]],
  ])('%s', (_, seen, steps) => {
    expect(compareKeyed('table', loads, seen).map(({ step }) => step)).toEqual(steps)
  })
})

describe('versions', () => {
  const change = (mark: string, isAcknowledged: boolean) => ({ ...load(mark, isAcknowledged), writer: 'one' })
  const changes = [change('1', true), change('2', false), change('3', true)]
  const versions = (...marks: string[]) => marks.map((mark, index) => ({ version: index + 1, mark }))
  it.each([
    ['all that was acknowledged', versions('', '1', '3'), 0],
    ['an attempt too', versions('', '1', '2', '3'), 0],
    ['an acknowledged change lost', versions('', '1', '2'), 1],
    ['a change twice', versions('', '1', '3', '3'), 1],
    ['changes out of order', versions('', '3', '1'), 1],
    ['a gap', versions('', '1', '3').filter(({ version }) => version !== 1), 1],
  ])('%s', (_, seen, differences) => {
    expect(compareVersions('configuration', changes, seen)).toHaveLength(differences)
  })
})

it('a single value is the last acknowledged one or a later attempt', () => {
  const attempts = [load('1', true), load('2', true), load('3', false)]
  expect(['1', '2', '3', undefined].map(seen => compareValue('row', attempts, seen).length)).toEqual([
    1, 0, 0, 1,
  ])
})

it('an added thing is there once', () => {
  expect(compareAdded('events', [load('1', true), load('2', false)], ['1'])).toEqual([])
  expect(compareAdded('events', [load('1', true)], [])).toHaveLength(1)
  expect(compareAdded('events', [load('1', false)], ['1', '1'])).toHaveLength(1)
})

it('what the storage lists counts as acknowledged, what it does not list never was', () => {
  const { attempts, differences } = settle(
    'key',
    [load('1', true), load('2', false), load('3', false)],
    new Set(['2']),
  )
  expect(attempts).toMatchObject([{ mark: '2', isAcknowledged: true }])
  expect(differences).toMatchObject([{ step: 1 }])
})
