import {
  CreateApplicationCommand,
  EMRServerlessClient,
  GetJobRunCommand,
} from '@aws-sdk/client-emr-serverless'
import { expect, it, vi } from 'vitest'
import { emrServerless } from '#functions/run-job/merge/emr-serverless.ts'
import { otherImplementation } from '#support/other-implementation.ts'
import { untilEnd } from '#support/until-end.ts'

const other = otherImplementation('MILLRACE_TEST_AWS')

it.skipIf(!other)('a run of a merge is started on its application, seen, and stopped', async () => {
  vi.stubEnv('AWS_ENDPOINT_URL', other?.settings.endpoint)
  vi.stubEnv('AWS_REGION', 'us-east-1')
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'test')
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'test-secret')
  const client = await untilEnd(new EMRServerlessClient({}))
  const { applicationId = '' } = await client.send(
    new CreateApplicationCommand({ type: 'SPARK', releaseLabel: 'emr-7.13.0' }),
  )
  const roleArn = 'arn:aws:iam::123456789012:role/merges'
  const engine = emrServerless(JSON.stringify({ applicationId, roleArn }))
  const warehouse = 's3://tables/tables/7/12/merge'
  const runId = await engine.start({
    name: 'millrace-12',
    script: `${warehouse}/merge-rows.py`,
    argument: `${warehouse}/merge-rows.json`,
    warehouse,
    reads: ['s3://tables/tables/7/'],
  })
  // Moto ends a run as it begins.
  expect(await engine.look(runId)).toEqual({ isRunning: false })
  const { jobRun } = await client.send(new GetJobRunCommand({ applicationId, jobRunId: runId }))
  expect(jobRun).toMatchObject({
    name: 'millrace-12',
    executionRole: roleArn,
    jobDriver: {
      sparkSubmit: {
        entryPoint: `${warehouse}/merge-rows.py`,
        entryPointArguments: [`${warehouse}/merge-rows.json`],
        sparkSubmitParameters: expect.stringContaining(
          `--conf spark.sql.catalog.work.warehouse=${warehouse}`,
        ),
      },
    },
  })
  await engine.stop(runId)
  expect(await engine.look(runId)).toEqual({ isRunning: false, failure: expect.any(String) })
  await engine.stop(runId)
})
