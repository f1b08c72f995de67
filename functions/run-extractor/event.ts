import { z } from 'zod'
import { executionName } from '../lib/aws/execution-name.ts'
import { isFileName } from '../lib/paths/path-inside.ts'
import { runSteps } from './names.ts'

const id = z.string().regex(/^(?!\.{1,2}$)[A-Za-z0-9._-]{1,200}$/, 'not an id')

const tokenId = z.coerce.string().regex(/^\d{1,16}$/, 'not the id of a token')

/** Input of the extract machine. Only the ids are required. */
export const runInput = z.object({
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
  /** The schedule of the configuration itself asked for the run: one that was disarmed may not. */
  isOwnSchedule: z.boolean().optional(),
})

export type RunInput = z.infer<typeof runInput>

/** The id of a run: the name of its execution. Folders and keys are named by it. */
export const runIdOf = executionName

/** Input of each step; `failure` when the step before failed for good (Step Functions, "Catch"). */
export const runExtractorEvent = z.object({
  step: z.enum(runSteps),
  /** ARN of the execution: its last part names the run. */
  execution: z.string().refine(arn => isFileName(runIdOf(arn), 100), 'not the ARN of an execution'),
  startedAt: z.iso.datetime({ offset: true }).transform(text => new Date(text)),
  input: runInput,
  /** How many more steps the history of the execution has room for; each result has one less. Default: one. */
  stepsLeft: z.number().int().default(1),
  failure: z.object({ Error: z.string().optional(), Cause: z.string().optional() }).optional(),
})

/** What a step reads. The count of steps is the machine's own. */
export type RunExtractorEvent = Omit<z.infer<typeof runExtractorEvent>, 'stepsLeft'>
