import * as z from 'zod'
import { didYouMean } from '../../errors/did-you-mean.ts'
import { isObject } from '../../json/json-value.ts'

/** The values of the key by which the options of a union differ. */
export const kindsOf = (key: string, options: readonly z.ZodObject[]): string[] =>
  options.flatMap(({ shape }) => {
    const kind = shape[key]
    return kind instanceof z.ZodLiteral ? [...kind.values].map(String) : []
  })

/** The message for a union whose key names none of its options: says all of them, and the nearest one.
 * Of one that went (`gone`) what serves instead. */
export const unknownKind =
  (key: string, message: string, known: readonly string[], gone: Readonly<Record<string, string>> = {}) =>
  (issue: z.core.$ZodRawIssue): string | undefined => {
    if (issue.code !== 'invalid_union') return undefined
    const given = isObject(issue.input) ? issue.input[key] : undefined
    if (typeof given !== 'string') return message
    if (Object.hasOwn(gone, given)) return `"${given}" is gone: ${gone[given]}`
    const meant = didYouMean(given, known)
    const hint = meant === undefined ? '' : `did you mean "${meant}"? `
    return `${message} "${given}" (${hint}known: ${known.join(', ')})`
  }
