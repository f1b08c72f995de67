import { setTimeout as sleep } from 'node:timers/promises'
import type { DescribeExecutionOutput, SFNClient } from '@aws-sdk/client-sfn'

const FIRST_LOOK_MS = 100
const LONGEST_PAUSE_MS = 5_000

interface FollowOptions {
  /** Called with the name of each state that is entered. */
  onStep?: (name: string) => void
  /** Gives up when it fires; the execution goes on. */
  signal?: AbortSignal | undefined
}

/** Polls often at first, then less and less: some executions take hours. */
export const followExecution = async (
  client: SFNClient,
  executionArn: string,
  { onStep, signal }: FollowOptions = {},
): Promise<DescribeExecutionOutput> => {
  const { DescribeExecutionCommand } = await import('@aws-sdk/client-sfn')
  const showSteps = onStep && (await createStepReader(client, executionArn, onStep))
  for (let pause = FIRST_LOOK_MS; ; pause = Math.min(pause * 1.5, LONGEST_PAUSE_MS)) {
    const described = await client.send(new DescribeExecutionCommand({ executionArn }))
    await showSteps?.()
    if (described.status !== 'RUNNING') return described
    await sleep(pause, undefined, { ...(signal && { signal }) })
  }
}

/** Reads the history from its end back to what was seen before. */
const createStepReader = async (
  client: SFNClient,
  executionArn: string,
  onStep: (name: string) => void,
): Promise<() => Promise<void>> => {
  const { paginateGetExecutionHistory } = await import('@aws-sdk/client-sfn')
  let seen = 0
  return async () => {
    const entered: { id: number; name: string }[] = []
    const pages = paginateGetExecutionHistory(
      { client, pageSize: 100 },
      { executionArn, reverseOrder: true, includeExecutionData: false },
    )
    for await (const { events = [] } of pages) {
      for (const { id = 0, stateEnteredEventDetails } of events)
        if (id > seen && stateEnteredEventDetails?.name !== undefined)
          entered.push({ id, name: stateEnteredEventDetails.name })
      if (events.some(({ id = 0 }) => id <= seen)) break
    }
    for (const { id, name } of entered.sort((a, b) => a.id - b.id)) {
      seen = id
      onStep(name)
    }
  }
}
