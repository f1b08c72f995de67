import type { catalogue } from './catalogue.ts'
import type { statuses } from './statuses.ts'

/** Every code of ours, in the replies of the API, in results, events, dead letters and logs. */
export type ErrorCode = keyof typeof catalogue

type CodeWith<Status> = {
  [Code in keyof typeof statuses]: (typeof statuses)[Code] extends Status ? Code : never
}[keyof typeof statuses]

/** Codes of `TransientError`: the call may work later. */
export type TransientCode = CodeWith<503>

/** Codes of `UserError`: the same call would fail again. */
export type UserCode = Exclude<ErrorCode, CodeWith<500 | 503>>

declare const foreign: unique symbol

/** A code that is not ours to choose. Made by `foreignCode` only. */
export type ForeignCode = string & { readonly [foreign]: true }

/**
 * Lets in a code from outside the catalogue: what a storage service answered, a job that was read again, the name of an
 * error of AWS. The one door, so that the catalogue holds all others.
 */
export const foreignCode = (code: string): ForeignCode => code as ForeignCode // a brand has no value

/** The code that somebody else gave, or one of ours where they gave none. */
export const foreignCodeOr = <Own extends ErrorCode>(
  code: string | null | undefined,
  own: Own,
): ForeignCode | Own => (code ? foreignCode(code) : own)
