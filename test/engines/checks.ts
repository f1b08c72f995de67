import { z } from 'zod'
import type { SuiteResult } from '../contracts/contract-suite.ts'
import { isListed } from './listed-differences.ts'

/** What one check of an engine says. */
const line = z.object({ check: z.string(), ok: z.boolean(), said: z.string().nullable() })
export type Check = z.infer<typeof line>

/** Prints what failed, and counts. */
export const countChecks = (engine: string, checks: readonly Check[]): SuiteResult => {
  const result = { passed: 0, failed: 0, differing: 0 }
  for (const { check, ok, said } of checks) {
    const listed = isListed(engine, check)
    if (ok) result.passed++
    else if (listed) result.differing++
    else result.failed++
    if (!ok) console.log(`  ${listed ? 'as listed' : 'FAILED'}: ${engine}, ${check}: ${said}`)
  }
  return result
}

export const readCheck = (text: string): Check => line.parse(JSON.parse(text))
