import { z } from 'zod'

const milliseconds = z.int().transform(ms => new Date(ms))
const text = z
  .string()
  .nullish()
  .transform(given => given ?? undefined)
const details = z.object({ included: z.boolean() }).nullish()

/** EventBridge events, "Step Functions Execution Status Change". What is large is left out, and the details say so. */
const statusChange = z.object({
  detail: z.object({
    executionArn: z.string().min(1),
    stateMachineArn: z.string().min(1),
    name: z.string().min(1),
    status: z.enum(['SUCCEEDED', 'FAILED', 'TIMED_OUT', 'ABORTED']),
    startDate: milliseconds,
    stopDate: milliseconds.nullish().transform(given => given ?? undefined),
    input: text,
    inputDetails: details,
    output: text,
    outputDetails: details,
    error: text,
    cause: text,
  }),
})

export type StatusChange = z.infer<typeof statusChange>

/** Sent by the clock: the minute that it stands for. */
const minute = z.object({
  time: z.iso.datetime().transform(given => new Date(given)),
  detail: z.undefined().optional(),
})

export const tickEvent = z.union([minute, statusChange])
