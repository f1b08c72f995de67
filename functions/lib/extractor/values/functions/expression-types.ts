import type { Json } from '#lib/json/json-value.ts'

/**
 * What references can name: `{ "attr": "a.b" }` reads `context.attr`, flattened with dots, list positions as keys.
 * Which contexts exist depends on the place (docs/reference/extractor-functions.md#contexts); a reference to any
 * other name stays an object.
 */
export type ExpressionContext = Readonly<Record<string, Json>>

export interface EvaluateOptions {
  /** Where the expression stands, for messages: `config.jobs.0.params.since`. */
  path?: string | undefined
  /** `urlencode` is a function here, and nowhere else. */
  isPlaceholder?: boolean
  /** Seconds since 1970 for `time()`, `date(format)` and relative texts of `strtotime`. Default: the system clock. */
  now?: number | undefined
}
