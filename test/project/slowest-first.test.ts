import { globSync } from 'node:fs'
import { expect, it } from 'vitest'
import { slowest } from '../tools/slowest-first.ts'

it('the files that are begun first are there', () => {
  const there = new Set(globSync('**/*.test.ts', { cwd: 'test' }))
  expect(slowest.filter(name => !there.has(`${name}.test.ts`))).toEqual([])
})
