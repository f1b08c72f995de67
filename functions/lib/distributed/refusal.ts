import { z } from 'zod'
import { foreignCode } from '../errors/codes.ts'
import { UserError } from '../errors/errors.ts'

/**
 * Why a load cannot be done as requested. A step of the machine writes it down and does not fail: its job then ends with
 * the first one in the order of the data, whichever step ran first.
 */
export const refusal = z.object({
  code: z.string(),
  message: z.string(),
  params: z.record(z.string(), z.unknown()),
})
export type Refusal = z.infer<typeof refusal>

/** The refusal that an error is. Throws any other error again. */
export const refusalOf = (error: unknown): Refusal => {
  if (!(error instanceof UserError)) throw error
  const { code, message, params } = error
  return { code, message, params }
}

export const refusalError = ({ code, message, params }: Refusal): UserError =>
  new UserError(foreignCode(code), message, { params })
