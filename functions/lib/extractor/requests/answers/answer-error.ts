import { UserError } from '#lib/errors/errors.ts'

export const damagedAnswer = (format: string, problem: string, cause?: unknown): UserError =>
  new UserError('extractor.response.damaged', `The response is not valid ${format}: ${problem}`, { cause })

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

export const tooLarge = (limitBytes: number): UserError =>
  new UserError(
    'extractor.response.tooLarge',
    `The response is larger than ${limitBytes} bytes ("api.http.bodyLimitBytes")`,
  )
