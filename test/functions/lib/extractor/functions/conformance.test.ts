import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { evaluate } from '#lib/extractor/functions/index.ts'
import { type Json, type JsonObject, parseJson } from '#lib/extractor/tables/index.ts'

const vectorsFile = resolve(
  import.meta.dirname,
  '../../../../../../shared/conformance/extractor/vectors.json',
)
const present = existsSync(vectorsFile)
if (!present) console.info('conformance vectors are not beside this repository: their tests are skipped')

interface Vector {
  expression: string
  value?: Json
  error?: string
}

const vectors: { functions: Vector[]; functionContext: JsonObject } = present
  ? JSON.parse(readFileSync(vectorsFile, 'utf8'))
  : { functions: [], functionContext: {} }

describe.runIf(present)('value expressions as in the field', () => {
  test.each(vectors.functions.filter(v => v.error === undefined))('$expression', ({ expression, value }) => {
    expect(evaluate(parseJson(expression), vectors.functionContext)).toEqual(value)
  })
  test.each(vectors.functions.filter(v => v.error !== undefined))(
    '$expression is refused',
    ({ expression, error }) => {
      expect(() => evaluate(parseJson(expression), vectors.functionContext)).toThrow(error)
    },
  )
})
