import { z } from '@hono/zod-openapi'
import { flag } from './fields.ts'

/** A documented flag of which only this value is offered. The other one is refused with the reason. */
export const onlyFlag = (offered: boolean, reason: string) =>
  flag()
    .refine(given => given === offered, { error: reason })
    .optional()

/** A documented text of which only these values are offered. */
export const onlyText = (offered: readonly [string, ...string[]], reason: string) =>
  z.enum(offered, { error: reason }).optional()
