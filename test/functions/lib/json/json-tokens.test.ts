import fc from 'fast-check'
import { expect, it } from 'vitest'
import { jsonTokens } from '#lib/json/parse-json.ts'

const tokensOf = (json: string): string[] => [...jsonTokens(json)].map(({ token }) => token)

it.each([
  ['{"a": [1.50, null]}', ['{', '"a"', ':', '[', '1.50', ',', 'null', ']', '}']],
  ['["\\"", "\\\\", "{,}"]', ['[', '"\\""', ',', '"\\\\"', ',', '"{,}"', ']']],
  [' ', []],
])('the tokens of %s', (json, tokens) => {
  expect(tokensOf(json)).toEqual(tokens)
})

it('are all of a document but its blanks, each at its place', () => {
  fc.assert(
    fc.property(fc.json(), fc.constantFrom(undefined, 1, '\t'), (text, space) => {
      const json = JSON.stringify(JSON.parse(text), null, space)
      expect(tokensOf(json).join('')).toBe(JSON.stringify(JSON.parse(text)))
      for (const { token, index } of jsonTokens(json)) expect(json.slice(index).startsWith(token)).toBe(true)
    }),
  )
})

it('of a text of 20 million characters are one', () => {
  const text = JSON.stringify('"a'.repeat(7_000_000))
  expect([...jsonTokens(`[${text}]`)].map(({ token, index }) => [token.length, index])).toEqual([
    [1, 0],
    [text.length, 1],
    [1, text.length + 1],
  ])
})
