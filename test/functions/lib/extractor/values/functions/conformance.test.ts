import { describe, expect, it } from 'vitest'
import { evaluate } from '#lib/extractor/values/functions/evaluate.ts'
import { parseJson } from '#lib/json/parse-json.ts'
import { vectorSets } from '../../samples/vectors.ts'

describe.each(vectorSets)('value expressions: $set', ({ vectors: { functions, functionContext } }) => {
  it.each(functions.filter(({ error }) => error === undefined))('$expression', ({ expression, value }) => {
    expect(evaluate(parseJson(expression), functionContext)).toEqual(value)
  })

  it.each(functions.filter(({ error }) => error !== undefined))(
    '$expression is refused',
    ({ expression, error }) => {
      expect(() => evaluate(parseJson(expression), functionContext)).toThrow(error)
    },
  )
})
