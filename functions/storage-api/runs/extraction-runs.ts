import {
  type DescribeExecutionOutput,
  ExecutionDoesNotExist,
  InvalidArn,
  paginateListExecutions,
  type SFNClient,
} from '@aws-sdk/client-sfn'
import { describeExecution } from '../../lib/aws/executions.ts'
import { NO_EXTRACT_MACHINE } from '../../lib/extractor/no-extract-machine.ts'

/** Runs of configurations, however they were started. */
export interface ExtractionRuns {
  /** Newest first. Step Functions remembers runs for 90 days. */
  list: (statuses?: readonly ExecutionStatus[]) => AsyncIterable<ListedRun>
  /** `undefined`: there is none, or it is forgotten. */
  get: (id: string) => Promise<DescribeExecutionOutput | undefined>
}

interface ListedRun {
  id: string
  status: ExecutionStatus
  startTime: Date
}

export type ExecutionStatus = 'RUNNING' | 'SUCCEEDED' | 'FAILED' | 'TIMED_OUT' | 'ABORTED'

const PAGE_SIZE = 100

/** The runs of the extract machine; a run's id is the name of its execution. A stack without extractions has none. */
export const createExtractionRuns = (client: SFNClient, machineArn: string): ExtractionRuns =>
  machineArn === NO_EXTRACT_MACHINE ? noRuns : runsOf(client, machineArn)

const noRuns: ExtractionRuns = {
  async *list() {},
  get: async () => undefined,
}

const runsOf = (client: SFNClient, machineArn: string): ExtractionRuns => ({
  async *list(statuses = []) {
    // Step Functions filters by one status, and for several it lists all.
    const statusFilter = statuses.length === 1 ? statuses[0] : undefined
    const pages = paginateListExecutions(
      { client, pageSize: PAGE_SIZE },
      { stateMachineArn: machineArn, ...(statusFilter && { statusFilter }) },
    )
    for await (const { executions = [] } of pages)
      for (const { name, status: given, startDate } of executions) {
        if (name === undefined) continue
        const status = given === 'PENDING_REDRIVE' ? 'RUNNING' : (given ?? 'RUNNING')
        if (statuses.length === 0 || statuses.includes(status))
          yield { id: name, status, startTime: startDate ?? new Date(0) }
      }
  },

  get: async name => {
    try {
      return await describeExecution(client, { machineArn, name })
    } catch (error) {
      if (error instanceof ExecutionDoesNotExist || error instanceof InvalidArn) return undefined
      throw error
    }
  },
})
