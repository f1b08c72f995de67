import { z } from 'zod'
import { executionName } from '../lib/cloud/execution-name.ts'
import type { StepEvent } from '../lib/drive/step.ts'
import type { MachineFailure } from '../lib/errors/machine-failure.ts'
import { parseEvent } from '../lib/errors/parse-event.ts'
import { isFileName } from '../lib/paths/path-inside.ts'
import { type RunStep, runSteps } from './names.ts'

const id = z.string().regex(/^(?!\.{1,2}$)[A-Za-z0-9._-]{1,200}$/, 'not an id')

const tokenId = z.coerce.string().regex(/^\d{1,16}$/, 'not the id of a token')

/** Input of the extract machine. Only the ids are required. */
export const runInput = z.object({
  /** The job of our own service that the run is. Absent: nobody has made one, or the service is elsewhere. */
  jobId: z.int().optional(),
  componentId: id,
  configId: z.coerce.string().pipe(id),
  /** The branch whose configuration runs, on its tables. Default: the default branch. */
  branchId: z.int().positive().optional(),
  /** What to do while another run of the configuration is under way. */
  overlap: z.enum(['wait', 'skip']).default('wait'),
  /** What asked for the run, as its events show it: `schedule`, say. */
  trigger: z.string().max(200).optional(),
  /** Id of the token that asked for the run, which may then do no more than that one. Default: nobody did. */
  authorTokenId: tokenId.optional(),
  /** Further tokens beyond whose rights the run must not go: those that stored what set it off, say. */
  tokenIds: z.array(tokenId).optional(),
  /** What the author saw when it asked for the run: a later version that another token stored does not run. */
  configVersion: z.int().optional(),
})

export type RunInput = z.infer<typeof runInput>

/** The id of a run: the name of its execution. Folders and keys are named by it. */
export const runIdOf = executionName

/** A step of a run; `failure` when the one before failed for good. */
export interface RunExtractorEvent {
  step: RunStep
  /** ARN of the execution. */
  execution: string
  startedAt: Date
  input: RunInput
  failure?: MachineFailure
}

const runExecution = z.string().refine(arn => isFileName(runIdOf(arn), 100), 'not the ARN of an execution')

const nextStep = z.object({ step: z.enum(runSteps).exclude(['fail']) })

/** What a step is to do. One that failed for good ends its row. */
export const toRunEvent = ({ input, execution, since, state, failure }: StepEvent): RunExtractorEvent => {
  const { step } = state === null ? { step: 'begin' as const } : parseEvent(nextStep, state)
  // The report of it would end the run by the same step.
  if (failure && step === 'end') throw new Error('The run could not be ended')
  return {
    step: failure ? 'fail' : step,
    execution: parseEvent(runExecution, execution),
    startedAt: since,
    input: parseEvent(runInput, input),
    ...(failure && { failure }),
  }
}
