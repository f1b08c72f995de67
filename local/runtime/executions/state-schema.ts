import { z } from 'zod'

/**
 * The fields of the Amazon States Language that the interpreter here acts on, state by state.
 *
 * `aws-local-stepfunctions` passes over what it does not know (JSONata, ItemReader, ItemBatcher, ToleratedFailure*,
 * Assign, HeartbeatSeconds, …), so everything else is refused before a machine may run.
 */

/** A path into the input or, with `$$`, into the context object. */
const path = z.string().regex(/^\$/, 'a path starts with $')

/** Where a result goes: the interpreter sets plain members only, and takes `$` for a member's name (see below). */
const resultPath = z.union([z.null(), z.string().regex(/^\$(\.[A-Za-z_][\w-]*)*$/, 'only $ or $.name.name')])

const retry = z.array(
  z.strictObject({
    ErrorEquals: z.array(z.string()),
    IntervalSeconds: z.number().positive().optional(),
    MaxAttempts: z.number().int().min(0).optional(),
    BackoffRate: z.number().min(1).optional(),
    MaxDelaySeconds: z.number().positive().optional(),
    JitterStrategy: z.enum(['NONE', 'FULL']).optional(),
    Comment: z.string().optional(),
  }),
)

const catchers = z.array(
  z.strictObject({
    ErrorEquals: z.array(z.string()),
    Next: z.string(),
    ResultPath: resultPath.optional(),
    Comment: z.string().optional(),
  }),
)

const common = {
  Comment: z.string().optional(),
  QueryLanguage: z.literal('JSONPath').optional(),
  InputPath: path.nullable().optional(),
  OutputPath: path.nullable().optional(),
}
const transition = { Next: z.string().optional(), End: z.literal(true).optional() }
const failable = { Retry: retry.optional(), Catch: catchers.optional() }
const result = { ResultPath: resultPath.optional(), ResultSelector: z.unknown().optional() }

/** The longest time a timer of Node can be set to. */
export const longestSeconds = Math.floor((2 ** 31 - 1) / 1000)
const seconds = z.number().int().min(0)

const choiceRule = z.looseObject({
  Variable: z.string().optional(),
  Next: z.string().optional(),
  // A rule may assign variables and write output in JSONata machines only.
  Assign: z.undefined({ error: 'variables are not offered' }).optional(),
  Output: z.undefined({ error: 'JSONata is not offered' }).optional(),
})

export interface Machine {
  Comment?: string | undefined
  StartAt: string
  States: Record<string, State>
  QueryLanguage?: 'JSONPath' | undefined
  Version?: '1.0' | undefined
  TimeoutSeconds?: number | undefined
  /** Of the processor of a Map only. */
  ProcessorConfig?: { Mode?: 'INLINE' | 'DISTRIBUTED' | undefined } | undefined
}

// A machine holds states which hold machines: the schema is read lazily, and the annotation breaks the circle.
const machineIn = (extra: z.ZodRawShape): z.ZodType<Machine> =>
  z.lazy(
    () =>
      z.strictObject({
        Comment: z.string().optional(),
        StartAt: z.string(),
        States: z.record(z.string(), state),
        ...extra,
      }) as unknown as z.ZodType<Machine>,
  )

const task = z.strictObject({
  ...common,
  ...transition,
  ...failable,
  ...result,
  Type: z.literal('Task'),
  Resource: z.string(),
  Parameters: z.unknown().optional(),
  // Without it the service waits for ever, and the interpreter for a minute.
  TimeoutSeconds: seconds
    .min(1)
    .default(longestSeconds)
    .transform(given => Math.min(given, longestSeconds)),
  TimeoutSecondsPath: path.optional(),
})

const map = z.strictObject({
  ...common,
  ...transition,
  ...failable,
  ...result,
  Type: z.literal('Map'),
  ItemsPath: path.optional(),
  ItemSelector: z.unknown().optional(),
  Parameters: z.unknown().optional(),
  MaxConcurrency: z.number().int().min(0).optional(),
  MaxConcurrencyPath: path.optional(),
  // Names a distributed map's runs in the console.
  Label: z.string().optional(),
  // A distributed Map over an array does the same as a plain one, in child executions.
  ItemProcessor: machineIn({
    ProcessorConfig: z
      .strictObject({
        Mode: z.enum(['INLINE', 'DISTRIBUTED']).optional(),
        ExecutionType: z.enum(['STANDARD', 'EXPRESS']).optional(),
      })
      .optional(),
  }),
})

const parallel = z.strictObject({
  ...common,
  ...transition,
  ...failable,
  ...result,
  Type: z.literal('Parallel'),
  Parameters: z.unknown().optional(),
  Branches: z.array(machineIn({})),
})

const pass = z.strictObject({
  ...common,
  ...transition,
  Type: z.literal('Pass'),
  Parameters: z.unknown().optional(),
  ResultPath: resultPath.optional(),
  // The interpreter takes a result that is false, 0, "" or null for none at all.
  Result: z
    .unknown()
    .refine(value => value === undefined || Boolean(value), 'only a result that is not false, 0, "" or null')
    .optional(),
})

const wait = z.strictObject({
  ...common,
  ...transition,
  Type: z.literal('Wait'),
  Seconds: seconds.max(longestSeconds).optional(),
  SecondsPath: path.optional(),
  Timestamp: z.string().optional(),
  TimestampPath: path.optional(),
})

const choice = z.strictObject({
  ...common,
  Type: z.literal('Choice'),
  Choices: z.array(choiceRule),
  Default: z.string().optional(),
})

const succeed = z.strictObject({ ...common, Type: z.literal('Succeed') })

const fail = z.strictObject({
  Comment: z.string().optional(),
  QueryLanguage: z.literal('JSONPath').optional(),
  Type: z.literal('Fail'),
  Error: z.string().optional(),
  Cause: z.string().optional(),
  ErrorPath: path.optional(),
  CausePath: path.optional(),
})

const state = z.discriminatedUnion('Type', [task, map, parallel, pass, wait, choice, succeed, fail])
export type State = z.infer<typeof state>

export const machineSchema = machineIn({
  QueryLanguage: z.literal('JSONPath').optional(),
  Version: z.literal('1.0').optional(),
  TimeoutSeconds: seconds
    .min(1)
    .transform(given => Math.min(given, longestSeconds))
    .optional(),
})
