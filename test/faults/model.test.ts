import { describe, expect, it } from 'vitest'
import {
  byteDifferences,
  configurationDifferences,
  fileDifferences,
  jobDifferences,
  type Load,
  tableDifferences,
} from './model.ts'

const load = (order: number, changes: Partial<Load> = {}): Load => ({
  name: `load ${order}`,
  mode: 'incremental',
  rows: [['1', `v${order}`]],
  order,
  state: 'done',
  ...changes,
})

const isRight = (key: number[], loads: Load[], found: string[][] | undefined): boolean =>
  tableDifferences({ name: 't', key, loads }, found).length === 0

describe('a table', () => {
  it('with a key is the fold of its loads in their order, whichever was asked for first', () => {
    expect(isRight([0], [load(2), load(1)], [['1', 'v2']])).toBe(true)
    expect(isRight([0], [load(2), load(1)], [['1', 'v1']])).toBe(false)
  })

  it('without a key has each row once', () => {
    expect(isRight([], [load(1)], [['1', 'v1']])).toBe(true)
    expect(
      isRight(
        [],
        [load(1)],
        [
          ['1', 'v1'],
          ['1', 'v1'],
        ],
      ),
    ).toBe(false)
    expect(isRight([], [load(1)], undefined)).toBe(false)
  })

  it('that is replaced is the last load acknowledged, or a later one of which nobody knows', () => {
    const loads = [
      load(1, { mode: 'full' }),
      load(2, { mode: 'full' }),
      load(3, { mode: 'full', state: 'open' }),
    ]
    expect(isRight([], loads, [['1', 'v2']])).toBe(true)
    expect(isRight([], loads, [['1', 'v3']])).toBe(true)
    expect(isRight([], loads, [['1', 'v1']])).toBe(false)
  })

  it('shows nothing of a load that was refused', () => {
    expect(isRight([], [load(1), load(2, { state: 'refused' })], [['1', 'v1']])).toBe(true)
    expect(isRight([], [load(1, { state: 'refused' })], [['1', 'v1']])).toBe(false)
  })
})

describe('a configuration', () => {
  const version = (number: number, mark: string) => ({ version: number, mark })
  const writes = [
    { mark: 'a', state: 'done' as const },
    { mark: 'b', state: 'open' as const, sent: 2 },
  ]
  const isSound = (versions: ReturnType<typeof version>[], current = versions.at(-1)): boolean =>
    current !== undefined && configurationDifferences('c', writes, { current, versions }).length === 0

  it('has dense versions, each by a write, each acknowledged write among them', () => {
    expect(isSound([version(1, 'a')])).toBe(true)
    expect(isSound([version(1, 'a'), version(2, 'b'), version(3, 'b')])).toBe(true)
    expect(isSound([version(1, 'a'), version(3, 'b')])).toBe(false)
    expect(isSound([version(1, 'b')])).toBe(false)
    expect(isSound([version(1, 'a'), version(2, 'a')])).toBe(false)
    expect(isSound([version(1, 'a'), version(2, 'c')])).toBe(false)
  })

  it('shows its newest version', () => {
    expect(isSound([version(1, 'a'), version(2, 'b')], version(1, 'a'))).toBe(false)
  })
})

it('a job ends', () => {
  expect(jobDifferences([{ id: 1, status: 'error' }])).toEqual([])
  expect(jobDifferences([{ id: 1, status: 'waiting' }])).toEqual(['job 1 is waiting for ever'])
})

it('what is stored is referred to, and the other way round', () => {
  expect(byteDifferences(['a'], new Set(['a']))).toEqual([])
  expect(byteDifferences(['a', 'b'], new Set(['a', 'c']))).toHaveLength(2)
})

it('a file is the same byte by byte', () => {
  expect(fileDifferences('f', Buffer.from('ab'), Buffer.from('ab'))).toEqual([])
  expect(fileDifferences('f', Buffer.from('ab'), Buffer.from('ac'))).toHaveLength(1)
  expect(fileDifferences('f', Buffer.from('ab'), undefined)).toEqual(['file f is gone'])
})
