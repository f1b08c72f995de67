import { setTimeout as sleep } from 'node:timers/promises'
import { foreignCodeOr } from '../../functions/lib/errors/codes.ts'
import { UserError } from '../../functions/lib/errors/errors.ts'
import { rowsText } from '../../functions/lib/wire/job-results.ts'
import { Interrupted } from '../shell/interrupted.ts'
import { liveLine } from '../shell/progress.ts'
import { type Shell, sayIn } from '../shell/shell.ts'

const FIRST_PAUSE_MS = 100
const LONGEST_PAUSE_MS = 5_000
const REDRAW_MS = 1_000

/** What is followed: the same in every form that clients give a job. */
interface AnyJob {
  id: number
  status: string
  progress?: { rows: number } | null | undefined
}
type Ended<Job> = Job & { status: 'success' | 'error' }

interface Followed {
  /** `The load of in.c-main.orders`: a sentence goes on after it. */
  what: string
  shell: Pick<Shell, 'stderr' | 'onInterrupt'>
  /** Ends the wait, with its reason. */
  signal?: AbortSignal | undefined
  /** What is known of how far it is, such as `300 rows`. Default: the rows that a load says. */
  describe?: () => Promise<string | undefined>
}

/**
 * Looks at a job until it has ended. A terminal shows meanwhile how long it takes. The job does not depend on this process: an interrupt
 * ends the wait, and says how to find the job again and how to stop it.
 */
export const followJob = async <Job extends AnyJob>(
  started: Job,
  look: (id: number) => Promise<Job>,
  { what, shell, signal, describe }: Followed,
): Promise<Ended<Job>> => {
  const done = new AbortController()
  const interrupted = shell.onInterrupt(done.signal)
  const stop = AbortSignal.any([interrupted, ...(signal ? [signal] : [])])
  const line = liveLine(shell)
  const start = performance.now()
  let job = started
  let detail: string | undefined
  const draw = () => {
    const state = job.status === 'waiting' ? 'waits for its turn' : 'is under way'
    line.show(
      [`${what} ${state}`, detail, `${Math.round((performance.now() - start) / 1000)} s`]
        .filter(Boolean)
        .join(', '),
    )
  }
  if (!isEnded(job)) draw()
  const clock = setInterval(draw, REDRAW_MS)
  try {
    for (let pause = FIRST_PAUSE_MS; !isEnded(job); pause = Math.min(pause * 1.5, LONGEST_PAUSE_MS)) {
      await sleep(pause, undefined, { signal: stop })
      job = await look(job.id)
      if (shell.stderr.isTTY && describe) detail = await describe().catch(() => undefined)
      else if (job.progress) detail = `${rowsText(job.progress.rows, 0)} so far`
    }
    return job as Ended<Job> // The loop has ended.
  } catch (error) {
    const sentence = `${what} goes on without you. Follow it: millrace wait ${job.id}. Stop it: millrace jobs cancel ${job.id}.`
    if (interrupted.aborted) throw new Interrupted(sentence)
    // The service is gone, and says nothing of the job.
    if (!signal?.aborted && !(error instanceof UserError)) sayIn(shell)(sentence)
    throw error
  } finally {
    clearInterval(clock)
    line.end()
    done.abort()
  }
}

const isEnded = ({ status }: AnyJob): boolean => status === 'success' || status === 'error'

/** Throws the job's own error when it failed. */
export const succeededOrThrow = <Job extends { status: 'success' | 'error' }>(
  job: Job,
): Extract<Job, { status: 'success' }> => {
  if (job.status === 'success') return job as Extract<Job, { status: 'success' }> // It was asked for.
  const { error } = job as { error?: { code: string; message: string } } // A job that failed has one.
  throw new UserError(
    foreignCodeOr(error?.code ?? '', 'storage.jobFailed'),
    error?.message ?? 'The job failed, and its service does not say why.',
  )
}
