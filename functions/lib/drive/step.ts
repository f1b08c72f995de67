import * as z from 'zod/mini'
import type { AskedWait, EndsOthers } from '../asked-wait.ts'
import { executionName } from '../cloud/execution-name.ts'
import { type Failure, type FailureReport, reportOf } from '../errors/machine-failure.ts'

const endedJob = z.discriminatedUnion('status', [
  z.object({ status: z.literal('success'), jobId: z.number(), results: z.unknown() }),
  z.object({
    status: z.literal('error'),
    jobId: z.number(),
    error: z.object({ code: z.string(), message: z.string() }),
  }),
])

/**
 * What every state machine gives to each step of its work (infra/drive.ts). A step may come more than once, and finds what
 * an earlier attempt of it has done.
 */
export const stepEvent = z.object({
  /** Of the execution. */
  input: z.unknown(),
  /** ARN of the execution. */
  execution: z.string().check(z.minLength(1)),
  /** When the execution began. */
  since: z.pipe(
    z.iso.datetime({ offset: true }),
    z.transform(text => new Date(text)),
  ),
  /** What the answer before has passed on. `null`: this is the first step. */
  state: z.unknown(),
  /** The end of the job that the answer before waited for. `null`: it waited for none, or the job has not ended. */
  job: z.catch(z.nullable(endedJob), null),
  /** One of the `parts` of the answer before: only this is to be done, and the result is nobody's. */
  part: z.optional(z.unknown()),
  /** The step, or a part, has failed for good (Step Functions, "Catch"). The answer counts like any other. */
  failure: z.optional(z.object({ Error: z.optional(z.string()), Cause: z.optional(z.string()) })),
  /** How many more steps the history of the execution has room for. */
  stepsLeft: z._default(z.number(), 1),
})
export type StepEvent = z.infer<typeof stepEvent>

/** `state` comes back with the next step. Step Functions carries at most 256 KiB: ids, no results. */
type Passing = { state?: unknown }

/** What a machine does after a step. */
export type Answer =
  /** Waits, and takes the next step. */
  | ({ next: 'again' } & AskedWait & Passing)
  /**
   * Waits for a job of the storage service, and takes the next step with its end. With `output` a success ends the execution,
   * with this and the job's end as its output.
   */
  | ({
      next: 'poll'
      jobId: number
      waitSeconds: number
      output?: Readonly<Record<string, unknown>>
    } & Passing)
  /** Does the parts side by side, each by a call of its own, and takes the next step. */
  | ({ next: 'each'; parts: readonly unknown[] } & Passing)
  | ({ next: 'done'; output: unknown } & EndsOthers)
  /** `details`: what the dead letter says beside the failure. */
  | { next: 'failed'; failure: Failure; details?: unknown }

/** An answer with all that the definition of the machine reads: a path that leads nowhere would end the execution. */
export interface WholeAnswer {
  readonly state: unknown
  /** Of a failure: the cause of the execution's end, as JSON. */
  readonly report?: FailureReport
  readonly job: null
  readonly stepsLeft: number
}

/** Makes a handler's work of a step. The result of a part is read by nobody. */
export const answering =
  <Invocation>(step: (event: StepEvent, invocation: Invocation) => Promise<Answer | undefined>) =>
  async (event: StepEvent, invocation: Invocation): Promise<(Answer & WholeAnswer) | null> => {
    const answer = await step(event, invocation)
    return answer === undefined ? null : whole(answer, event.stepsLeft - 1)
  }

const whole = (answer: Answer, stepsLeft: number): Answer & WholeAnswer => ({
  ...answer,
  state: ('state' in answer ? answer.state : undefined) ?? null,
  ...(answer.next === 'failed' && { report: reportOf(answer.failure, answer.details) }),
  job: null,
  stepsLeft,
})

/** Facts for each log line of a step. */
export const stepKeys = ({ execution, failure, part }: StepEvent) => ({
  correlationId: executionName(execution),
  step: failure ? 'failure' : part === undefined ? 'step' : 'part',
})
