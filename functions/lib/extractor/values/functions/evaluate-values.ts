import type { Json } from '#lib/json/json-value.ts'
import { evaluate } from './evaluate.ts'
import type { ExpressionContext } from './expression-types.ts'

/** Evaluates every value of an object; names stay. `path` is where the object stands, for messages. */
export type EvaluateValues = (
  values: Readonly<Record<string, unknown>>,
  context: ExpressionContext,
  path: string,
  options?: {
    /** Leaves lists as they are: in headers a list is several values, not something to work out. */
    skipLists?: boolean
  },
) => Record<string, Json>

/** `now` gives seconds since 1970; expressions read the clock of the extraction, not of the system. */
export const createEvaluateValues =
  (now: () => number): EvaluateValues =>
  (values, context, path, { skipLists = false } = {}) => {
    const result: Record<string, Json> = {}
    for (const [name, value] of Object.entries(values)) {
      result[name] =
        skipLists && Array.isArray(value)
          ? value
          : evaluate(value, context, { path: `${path}.${name}`, now: Math.floor(now()) })
    }
    return result
  }
