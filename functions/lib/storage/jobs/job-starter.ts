import type { SFNClient } from '@aws-sdk/client-sfn'
import { executionOfJob } from '../../asked-wait.ts'
import { describeExecution, isUnderWay, startExecution } from '../../aws/executions.ts'

/** `ended`: this job was started before, and its execution has ended. */
type StartResult = 'running' | 'ended'

/**
 * Starts the execution of a job. Idempotent, because the execution is named after its job: a job that was accepted but
 * not started can be started by whoever waits for it.
 */
export type StartJob = (jobId: number) => Promise<StartResult>

export const createJobStarter =
  (client: SFNClient, machineArn: string): StartJob =>
  async jobId => {
    const execution = { machineArn, name: executionOfJob(jobId) }
    if (await startExecution(client, { ...execution, input: { jobId } })) return 'running'
    // Step Functions accepts a repeat while the execution runs and refuses it afterwards (API Reference,
    // StartExecution). We check its state all the same: an emulator may refuse for other reasons.
    return isUnderWay(await describeExecution(client, execution)) ? 'running' : 'ended'
  }
