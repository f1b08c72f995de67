import { z } from 'zod'

const isRegularExpression = (text: string): boolean => {
  try {
    new RegExp(text, 'u')
    return true
  } catch {
    return false
  }
}

/**
 * One rule for keys of the landing bucket that do not follow the built-in convention.
 *
 * `match` is a regular expression over the whole key; its named groups fill `{name}` in `tableId`. Example:
 * `{ "match": "^sales/(?<year>\\d{4})/.+\\.csv$", "tableId": "in.c-sales.orders_{year}", "incremental": true }`.
 * Rules are tried in order, before the convention. User metadata of the object overrides what a rule says.
 */
const landingRule = z.strictObject({
  match: z.string().refine(isRegularExpression, 'not a regular expression'),
  tableId: z.string().min(1),
  primaryKey: z.array(z.string().min(1)).optional(),
  incremental: z.boolean().optional(),
  delimiter: z.string().optional(),
  enclosure: z.string().optional(),
  columns: z.array(z.string().min(1)).optional(),
})

export type LandingRule = z.infer<typeof landingRule>

export const landingRules = z.array(landingRule)
