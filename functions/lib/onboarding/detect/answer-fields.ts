import type { Json } from '#lib/json/json-value.ts'
import { isObject } from '#lib/json/json-value.ts'

export interface AnswerField {
  keys: string[]
  /** The last of `keys`. */
  name: string
  value: string | number | boolean
}

const DEEPEST = 4

/** The scalars of an answer beside its items, those near the root first. */
export const answerFields = (answer: Json, itemKeys: readonly string[]): AnswerField[] => {
  const isItems = (keys: readonly string[]): boolean =>
    keys.length === itemKeys.length && keys.every((key, index) => key === itemKeys[index])
  const walk = (value: Json, keys: readonly string[]): AnswerField[] => {
    if (isItems(keys)) return []
    if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
      return [{ keys: [...keys], name: keys.at(-1) ?? '', value }]
    if (!isObject(value) || keys.length >= DEEPEST) return []
    return Object.entries(value).flatMap(([key, inner]) => (key === '' ? [] : walk(inner, [...keys, key])))
  }
  return Array.isArray(answer) ? [] : walk(answer, []).sort((a, b) => a.keys.length - b.keys.length)
}

/** A path as the keys of a pagination write it; `undefined` where a key has the delimiter in it. */
export const pathOf = (keys: readonly string[]): string | undefined =>
  keys.some(key => key.includes('.')) ? undefined : keys.join('.')
