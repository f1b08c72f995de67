import { JsonNumber } from './json-number.ts'
import { objectOf } from './key-order.ts'

/** Any parsed JSON value. Numbers that a double would change are a `JsonNumber`. */
export type Json = null | boolean | number | string | JsonNumber | Json[] | JsonObject

export interface JsonObject {
  [key: string]: Json
}

/** A list or an object: all other values are a whole. */
export const isContainer = (value: unknown): value is Json[] | JsonObject =>
  typeof value === 'object' && value !== null && !(value instanceof JsonNumber)

export const isNumber = (value: unknown): value is number | JsonNumber =>
  typeof value === 'number' || value instanceof JsonNumber

/** Where a text is wanted, a number is its digits. */
export const digitsAsText = (value: unknown): unknown => (value instanceof JsonNumber ? value.text : value)

/** Where a number is wanted, it is one of JavaScript. */
export const plainNumber = (value: unknown): unknown =>
  value instanceof JsonNumber ? value.valueOf() : value

/** The object with other values under the same keys, in their order. */
export const mapFields = <To>(
  object: object,
  change: (value: unknown, key: string) => To,
): Record<string, To> =>
  objectOf(Object.entries(object).map(([key, value]) => [key, change(value, key)] as const))

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof JsonNumber)
