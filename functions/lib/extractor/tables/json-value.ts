import type { JsonNumber } from '../php/json-number.ts'

/** Any parsed JSON value. Numbers that a double would change are a `JsonNumber`. */
export type Json = null | boolean | number | string | JsonNumber | Json[] | JsonObject

export interface JsonObject {
  [key: string]: Json
}
