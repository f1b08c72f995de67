import { describeFailure } from '#lib/errors/machine-failure.ts'
import { type Answer, answering, type StepEvent, stepEvent } from '../../functions/lib/drive/step.ts'
import type { Job } from '../../functions/lib/storage-client/storage-client.ts'
import { pollOf } from '../../functions/poll-job/handler.ts'
import { type DriveEnd, drive } from '../../local/machines/drive.ts'

interface DriveHereOptions {
  input: unknown
  execution: string
  step: (event: StepEvent) => Promise<Answer | undefined>
  /** Reads a job. Default: no step waits for one. */
  job?: (jobId: number) => Promise<Job>
  /** Default: none lasts. */
  wait?: () => Promise<void>
  isLong?: boolean
  since?: Date
  /** Stands for the death of the process: no machine hears of it. Default: nothing does. */
  isFatal?: (error: unknown) => boolean
}

/** One execution of a machine whose functions run in this process. Rejects with the last error of its step where it fails. */
export const driveHere = async ({
  input,
  execution,
  step,
  job,
  wait = async () => {},
  isLong = false,
  since = new Date(),
  isFatal = () => false,
}: DriveHereOptions): Promise<unknown> => {
  let thrown: unknown
  const died = Promise.withResolvers<never>()
  const call = async (event: unknown): Promise<unknown> => {
    try {
      return await answering(step)(stepEvent.parse(event), undefined)
    } catch (error) {
      if (isFatal(error)) {
        died.reject(error)
        return new Promise(() => {})
      }
      thrown = error
      throw error
    }
  }
  const driven = drive({
    input,
    execution,
    since: since.toISOString(),
    step: call,
    poll: async event => {
      if (!job) throw new Error('No step waits for a job')
      return pollOf(await job((event as { jobId: number }).jobId), 0) // As the machine asks.
    },
    partsAtOnce: 16,
    isLong,
    wait,
  })
  const end: DriveEnd = await Promise.race([driven, died.promise])
  if (end.status === 'SUCCEEDED') return end.output
  throw thrown ?? Object.assign(new Error(describeFailure({ Cause: end.cause }).message), { code: end.error })
}
