import { z } from 'zod'
import { isAllowed, unknownFunction } from './evaluate.ts'

/**
 * A configuration value that may hold expressions at any depth. Unknown functions are issues at their own path, with
 * "did you mean"; references are not checked, since their contexts exist only when the extraction runs.
 */
export const expressionSchema = (alsoAllow: readonly string[] = []): z.ZodType<z.core.util.JSONType> =>
  z.json().superRefine((value, ctx) => findUnknown(value, [], alsoAllow, ctx))

const findUnknown = (
  value: z.core.util.JSONType,
  path: PropertyKey[],
  alsoAllow: readonly string[],
  ctx: z.RefinementCtx,
): void => {
  if (typeof value !== 'object' || value === null) return
  if (!Array.isArray(value) && Object.hasOwn(value, 'function')) {
    const name = value['function']
    if (typeof name !== 'string' || !isAllowed(name, alsoAllow)) {
      ctx.addIssue({
        code: 'custom',
        path: [...path, 'function'],
        message: unknownFunction(name, alsoAllow).message,
      })
    }
  }
  for (const [key, inner] of Object.entries(value)) {
    findUnknown(inner, [...path, Array.isArray(value) ? Number(key) : key], alsoAllow, ctx)
  }
}
