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
 * The landing rules; `functions/start-import/landing-rules.ts` explains each field. A rule that the import function would
 * refuse is refused before it is deployed.
 *
 * The schema is written twice, because infra imports nothing of functions but constants: synth runs no code of theirs, and
 * a file of theirs with a schema has imports of its own. A test runs both on the same examples.
 */
export const landingRules = z.array(
  z.strictObject({
    match: z.string().refine(isRegularExpression, 'not a regular expression'),
    tableId: z.string().min(1),
    primaryKey: z.array(z.string().min(1)).optional(),
    incremental: z.boolean().optional(),
    delimiter: z.string().optional(),
    enclosure: z.string().optional(),
    columns: z.array(z.string().min(1)).optional(),
  }),
)

export type LandingRules = z.infer<typeof landingRules>
