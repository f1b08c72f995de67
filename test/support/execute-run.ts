import type { Failure } from '#lib/errors/machine-failure.ts'
import type { RunJob } from '#lib/storage/jobs/job-store.ts'
import { inputOfRun } from '#lib/storage/jobs/start-next.ts'
import type { RunState } from '#lib/wire/run-body.ts'

/** State of a configuration's run. `output`: the text that the machine returned. */
export type ExtractRun =
  | { status: 'running'; execution: string }
  | { status: 'success'; output: string }
  | ({ status: 'error' } & Failure)

/** In place of the extract machine. */
export interface ExtractRuns {
  start(jobId: number, input: ReturnType<typeof inputOfRun>): Promise<void>
  describe(jobId: number): Promise<ExtractRun>
}

interface RunServices {
  extractRuns: ExtractRuns
  /** As the extractor tells it, with the token of the stack. */
  noteState: (jobId: number, state: RunState) => Promise<void>
}

/** What the extract machine does with a job that is a run: begins it, does it, and ends it as it ended. */
export const executeRun = async (
  job: RunJob,
  { extractRuns, noteState }: RunServices,
  pause: () => Promise<unknown>,
): Promise<void> => {
  await noteState(job.id, { status: 'processing' })
  await extractRuns.start(job.id, inputOfRun(job))
  for (;;) {
    const run = await extractRuns.describe(job.id)
    if (run.status === 'running') await pause()
    else {
      const { status } = run
      await noteState(job.id, status === 'error' ? run : { status, results: JSON.parse(run.output) })
      return
    }
  }
}
