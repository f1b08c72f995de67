import {
  CancelJobRunCommand,
  EMRServerlessClient,
  GetJobRunCommand,
  ResourceNotFoundException,
  StartJobRunCommand,
  ValidationException,
} from '@aws-sdk/client-emr-serverless'
import { z } from 'zod'
import { type MergeEngine, type MergeRun, sparkSettings } from '../../lib/distributed/merge-engine.ts'

/** A Spark application of EMR Serverless, and the role of its runs. */
const application = z.object({ applicationId: z.string(), roleArn: z.string() })

/** Where a release of EMR has Iceberg. */
const ICEBERG = '/usr/share/aws/iceberg/lib/iceberg-spark3-runtime.jar'

/** A run that hangs ends before the execution of its job does. */
const LONGEST_MINUTES = 12 * 60

/** A session policy has at most 2,048 characters. */
const MOST_PREFIXES = 10

/**
 * Merges by Spark on EMR Serverless. A run may write below its own prefix, and read what its table consists of.
 *
 * @param named variable `MERGE_APPLICATION`
 */
export const emrServerless = (named: string): MergeEngine => {
  const { applicationId, roleArn } = application.parse(JSON.parse(named))
  const client = new EMRServerlessClient({})
  return {
    async start(run) {
      const settings = { ...sparkSettings(run.warehouse), 'spark.jars': ICEBERG }
      const { jobRunId } = await client.send(
        new StartJobRunCommand({
          applicationId,
          executionRoleArn: roleArn,
          // The same token gives the same run.
          clientToken: run.name,
          name: run.name,
          executionTimeoutMinutes: LONGEST_MINUTES,
          executionIamPolicy: { policy: JSON.stringify(policyOf(run)) },
          jobDriver: {
            sparkSubmit: {
              entryPoint: run.script,
              entryPointArguments: [run.argument],
              sparkSubmitParameters: Object.entries(settings)
                .map(([name, value]) => `--conf ${name}=${value}`)
                .join(' '),
            },
          },
        }),
      )
      if (jobRunId === undefined) throw new Error(`EMR Serverless gave the run ${run.name} no id`)
      return jobRunId
    },

    async look(jobRunId) {
      const { jobRun } = await client.send(new GetJobRunCommand({ applicationId, jobRunId }))
      switch (jobRun?.state) {
        case 'SUCCESS':
          return { isRunning: false }
        case 'FAILED':
        case 'CANCELLED':
          return { isRunning: false, failure: jobRun.stateDetails ?? jobRun.state }
        default:
          return { isRunning: true }
      }
    },

    async stop(jobRunId) {
      await client.send(new CancelJobRunCommand({ applicationId, jobRunId })).catch((error: unknown) => {
        // It has ended.
        if (error instanceof ResourceNotFoundException || error instanceof ValidationException) return
        throw error
      })
    },
  }
}

/** What of its role's rights a run has: no other table, and of its own nothing but what lies below its prefix is written. */
const policyOf = ({ warehouse, script, reads }: MergeRun) => {
  const { host: bucket } = new URL(script)
  const arn = (location: string): string => location.replace('s3://', 'arn:aws:s3:::')
  const readable = reads.length > MOST_PREFIXES ? [`s3://${bucket}/tables/`] : reads
  const allow = (Action: string[], Resource: string[]) => ({ Effect: 'Allow', Action, Resource })
  return {
    Version: '2012-10-17',
    Statement: [
      allow(
        ['s3:GetObject'],
        readable.map(prefix => `${arn(prefix)}*`),
      ),
      allow(['s3:PutObject', 's3:DeleteObject', 's3:AbortMultipartUpload'], [`${arn(warehouse)}/*`]),
      allow(['s3:ListBucket'], [`arn:aws:s3:::${bucket}`]),
      // Which key it is, the role says.
      allow(['kms:Decrypt', 'kms:GenerateDataKey'], ['*']),
    ],
  }
}
