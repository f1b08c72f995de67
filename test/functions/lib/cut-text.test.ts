import { describe, expect, it } from 'vitest'
import { cutText } from '#lib/cut-text.ts'

describe('a text that is cut', () => {
  it.each([
    ['abc', 2, 'ab'],
    ['abc', 3, 'abc'],
    ['a😀b', 2, 'a'],
    ['a😀b', 3, 'a😀'],
    ['', 0, ''],
  ])('%j to %d is %j', (text, most, cut) => {
    expect(cutText(text, most)).toBe(cut)
  })
})
