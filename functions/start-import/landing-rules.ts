import * as z from 'zod/mini'

/** File beside the bundle: JSON array of key rules that are tried before the built-in convention. */
export const LANDING_RULES_FILE = 'landing-rules.json'

const isRegularExpression = (text: string): boolean => {
  try {
    new RegExp(text, 'u')
    return true
  } catch {
    return false
  }
}

const name = z.string().check(z.minLength(1))

/**
 * One rule for keys of the landing bucket that do not follow the built-in convention.
 *
 * `match` is a regular expression over the whole key; its named groups fill `{name}` in `tableId`. Example:
 * `{ "match": "^sales/(?<year>\\d{4})/.+\\.csv$", "tableId": "in.c-sales.orders_{year}", "incremental": true }`.
 * Rules are tried in order, before the convention. User metadata of the object overrides what a rule says.
 */
const landingRule = z.strictObject({
  match: z.string().check(z.refine(isRegularExpression, 'not a regular expression')),
  tableId: name,
  primaryKey: z.optional(z.array(name)),
  incremental: z.optional(z.boolean()),
  delimiter: z.optional(z.string()),
  enclosure: z.optional(z.string()),
  columns: z.optional(z.array(name)),
  types: z.optional(z.enum(['text', 'detect'])),
})

export type LandingRule = z.infer<typeof landingRule>

export const landingRules = z.array(landingRule)
