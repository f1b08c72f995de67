import type { Json, JsonObject } from '#lib/json/json-value.ts'
import { inOrder } from '#lib/json/key-order.ts'

/** The object with a member replaced in its place, or added at the end. */
export const withMember = (object: JsonObject, key: string, value: Json): JsonObject =>
  inOrder({ ...object, [key]: value }, [...Object.keys(object), key])
