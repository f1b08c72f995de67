import type { DescribeRun } from '../lib/storage/runs/describe-run.ts'
import type { RunRecords } from '../lib/storage/runs/run-records.ts'

/** The event of an end comes within seconds. */
const LOST_MS = 10 * 60_000

interface LostRunServices {
  runs: Pick<RunRecords, 'longestOpen' | 'noteLook' | 'get' | 'end'>
  describe: DescribeRun
  now: () => Date
}

/**
 * Looks after the run that nobody has looked after for longest, of those that are open for ten minutes, and ends it when
 * the event of its end got lost. It asks Step Functions about one run a minute.
 */
export const endLostRun = async ({ runs, describe, now }: LostRunServices): Promise<string | undefined> => {
  const open = await runs.longestOpen()
  if (open === undefined || now().getTime() - open.lookedAt.getTime() < LOST_MS) return undefined
  const known = await runs.get(open.name)
  const found = known?.status === 'RUNNING' ? await describe(open.name) : known
  if (found?.status === 'RUNNING') {
    await runs.noteLook(open, now())
    return undefined
  }
  // One that Step Functions has forgotten was stopped, as far as anybody knows.
  await runs.end(
    found ?? { startDate: open.lookedAt, ...known, name: open.name, status: 'ABORTED', stopDate: now() },
  )
  return open.name
}
