import { z } from 'zod'
import type { ToldProgress } from '../../wire/run-body.ts'
import { defaultBranchId } from '../db/branch-id.ts'

/** One that waits for its redrive goes on. */
export const executionStatus = z
  .enum(['RUNNING', 'SUCCEEDED', 'FAILED', 'TIMED_OUT', 'ABORTED', 'PENDING_REDRIVE'])
  .transform(status => (status === 'PENDING_REDRIVE' ? 'RUNNING' : status))

/** What Step Functions says of a run: an execution of the extract machine. */
export const runExecution = z.object({
  /** The run's id. */
  name: z.string(),
  status: executionStatus,
  startDate: z.coerce.date(),
  stopDate: z.coerce.date().optional(),
  /** JSON texts. */
  input: z.string().optional(),
  output: z.string().optional(),
  error: z.string().optional(),
  cause: z.string().optional(),
  /** Of one that is under way, as far as it has said. It was read when it was told. */
  progress: z.custom<ToldProgress>().optional(),
})

export type RunExecution = z.infer<typeof runExecution>

/** What a run was asked to do; see `functions/run-extractor/event.ts`. Anything may stand there: people start runs too. */
const runInput = z
  .object({
    componentId: z.coerce.string(),
    configId: z.coerce.string(),
    branchId: z.int().catch(defaultBranchId).default(defaultBranchId),
    trigger: z.string().nullable().catch(null).default(null),
  })
  .catch({ componentId: '', configId: '', branchId: defaultBranchId, trigger: null })

export const inputOfRun = ({ input }: Pick<RunExecution, 'input'>) => runInput.parse(parsedJson(input))

export const parsedJson = (text: string | undefined): unknown => {
  try {
    return JSON.parse(text ?? 'null')
  } catch {
    return null
  }
}
