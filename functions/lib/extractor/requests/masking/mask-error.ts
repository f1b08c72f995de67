import { UserError } from '#lib/errors/errors.ts'
import type { Masker } from './masker.ts'

/** The same error without secrets: message, params and stack are masked, causes (which may hold anything) are dropped. */
export const maskError = (error: unknown, masker: Masker): unknown => {
  if (error instanceof UserError) {
    const { code, status, message, params } = error
    return new UserError(code, masker.mask(message), {
      status,
      params: masker.maskAll(params) as Record<string, unknown>, // keeps the shape
    })
  }
  if (!(error instanceof Error)) return error
  const masked = new Error(masker.mask(error.message))
  masked.name = error.name
  if (error.stack !== undefined) masked.stack = masker.mask(error.stack)
  return masked
}
