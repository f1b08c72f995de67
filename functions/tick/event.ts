import * as z from 'zod/mini'

const milliseconds = z.pipe(
  z.int(),
  z.transform(ms => new Date(ms)),
)
const orUndefined = <Schema extends z.ZodMiniType>(schema: Schema) =>
  z.pipe(
    z.nullish(schema),
    z.transform(given => given ?? undefined),
  )
const text = orUndefined(z.string())
const name = z.string().check(z.minLength(1))
const details = z.nullish(z.object({ included: z.boolean() }))

/** EventBridge events, "Step Functions Execution Status Change". What is large is left out, and the details say so. */
const statusChange = z.object({
  detail: z.object({
    executionArn: name,
    stateMachineArn: name,
    name,
    status: z.enum(['SUCCEEDED', 'FAILED', 'TIMED_OUT', 'ABORTED']),
    startDate: milliseconds,
    stopDate: orUndefined(milliseconds),
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
  time: z.pipe(
    z.iso.datetime(),
    z.transform(given => new Date(given)),
  ),
  detail: z.optional(z.undefined()),
})

export const tickEvent = z.union([minute, statusChange])
