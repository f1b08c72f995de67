import type { SFNClient } from '@aws-sdk/client-sfn'
import { describeExecution, isUnderWay, startExecution } from '../../aws/executions.ts'

/** `ended`: this job was started before and its execution is over. */
type StartResult = 'running' | 'ended'

/**
 * Starts the state machine's execution of a job. An execution is named after its job, so that starting twice is
 * harmless and a job that somebody accepted and nobody started can be started by whoever waits for it.
 */
export type StartJob = (jobId: number) => Promise<StartResult>

const executionName = (jobId: number): string => `job-${jobId}`

export const createJobStarter =
  (client: SFNClient, machineArn: string): StartJob =>
  async jobId => {
    const execution = { machineArn, name: executionName(jobId) }
    if (await startExecution(client, { ...execution, input: { jobId } })) return 'running'
    // Step Functions answers a repeat with the same input while the execution runs and refuses it afterwards (API
    // Reference, StartExecution); asked all the same, because "refused" must not be taken for "ended" by an emulator.
    return isUnderWay(await describeExecution(client, execution)) ? 'running' : 'ended'
  }
