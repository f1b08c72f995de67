import { JsonNumber } from './json-number.ts'

/** Any parsed JSON value. Numbers that a double would change are a `JsonNumber`. */
export type Json = null | boolean | number | string | JsonNumber | Json[] | JsonObject

export interface JsonObject {
  [key: string]: Json
}

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof JsonNumber)
