import { setTimeout as sleep } from 'node:timers/promises'
import type { DescribeExecutionOutput, SFNClient } from '@aws-sdk/client-sfn'

const FIRST_LOOK_MS = 100
const LONGEST_PAUSE_MS = 5_000

/**
 * Polls often at first, then less and less: some executions take hours.
 *
 * @param signal gives up when it fires; the execution goes on
 */
export const followExecution = async (
  client: SFNClient,
  executionArn: string,
  signal?: AbortSignal,
): Promise<DescribeExecutionOutput> => {
  const { DescribeExecutionCommand } = await import('@aws-sdk/client-sfn')
  for (let pause = FIRST_LOOK_MS; ; pause = Math.min(pause * 1.5, LONGEST_PAUSE_MS)) {
    const described = await client.send(new DescribeExecutionCommand({ executionArn }))
    if (described.status !== 'RUNNING') return described
    await sleep(pause, undefined, { ...(signal && { signal }) })
  }
}
