import { setTimeout as sleep } from 'node:timers/promises'
import type { Execution, Machines } from '../../functions/lib/cloud/machines.ts'
import { UserError } from '../../functions/lib/errors/errors.ts'

const FIRST_LOOK_MS = 100
const LONGEST_PAUSE_MS = 5_000

/**
 * Polls often at first, then less and less: some executions take hours.
 *
 * @param signal gives up when it fires; the execution goes on
 */
export const followExecution = async (
  machines: Pick<Machines, 'describe'>,
  executionArn: string,
  signal?: AbortSignal,
): Promise<Execution> => {
  for (let pause = FIRST_LOOK_MS; ; pause = Math.min(pause * 1.5, LONGEST_PAUSE_MS)) {
    const described = await machines.describe({ executionArn })
    if (!described) throw new UserError('cli.notFound', `There is no execution ${executionArn}.`)
    if (described.status !== 'RUNNING') return described
    await sleep(pause, undefined, { ...(signal && { signal }) })
  }
}
