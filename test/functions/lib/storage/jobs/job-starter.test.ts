import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { beforeEach, describe, expect, it } from 'vitest'
import { createIsRunning } from '#lib/cloud/machines.ts'
import { describeExecution, startExecution, stepFunctions, stopExecution } from '#lib/cloud/step-functions.ts'
import type { JobRecord } from '#lib/storage/jobs/job-record.ts'
import { createJobStarter } from '#lib/storage/jobs/start-next.ts'
import { untilEnd } from '#support/until-end.ts'

/** A Step Functions endpoint with given answers that keeps its requests. */
const replies: { status: number; body: object }[] = []
const requests: { operation: string; body: unknown }[] = []

const server = await untilEnd(
  createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const operation = String(request.headers['x-amz-target']).split('.')[1] ?? ''
    requests.push({ operation, body: JSON.parse(Buffer.concat(chunks).toString()) })
    const { status, body } = replies.shift() ?? { status: 500, body: {} }
    response.writeHead(status, { 'content-type': 'application/x-amz-json-1.0' }).end(JSON.stringify(body))
  }),
)
await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
// A server that listens on TCP has an address of this kind.
const { port } = server.address() as AddressInfo
const machines = stepFunctions(
  { start: startExecution, describe: describeExecution, stop: stopExecution },
  {
    endpoint: `http://127.0.0.1:${port}`,
    region: 'us-east-1',
    credentials: { accessKeyId: 'a', secretAccessKey: 'b' },
    maxAttempts: 1,
  },
)
beforeEach(() => {
  replies.length = 0
  requests.length = 0
})

const machineArn = 'arn:aws:states:us-east-1:123456789012:stateMachine:jobs'
const arns = { jobs: machineArn, runs: machineArn.replace('jobs', 'extract') }
const job = { id: 42, input: { operationName: 'tableDrop', tableId: 'in.c-main.t' } } as unknown as JobRecord
const run = {
  id: 43,
  input: { operationName: 'configurationRun', componentId: 'ex-generic-v2', configId: 'shop' },
  operationParams: { version: 3 },
  creatorToken: { id: '7', description: 'somebody' },
  branchId: 5,
} as unknown as JobRecord
const start = (failure?: { Error: string; Cause: string }) => createJobStarter(machines, arns)(job, failure)
const started = { status: 200, body: { executionArn: 'arn', startDate: 1 } }
const exists = { status: 400, body: { __type: 'com.amazonaws.swf.service.v2.model#ExecutionAlreadyExists' } }
const described = (status: string) => ({
  status: 200,
  body: { executionArn: 'arn', stateMachineArn: 'arn', status, startDate: 1 },
})

describe('createJobStarter', () => {
  it('starts an execution that is named after its job', async () => {
    replies.push(started)
    expect(await start()).toBe('running')
    expect(requests).toEqual([
      {
        operation: 'StartExecution',
        body: {
          stateMachineArn: 'arn:aws:states:us-east-1:123456789012:stateMachine:jobs',
          name: 'job-42',
          input: '{"jobId":42}',
        },
      },
    ])
  })

  it('starts one of the extract machine for a run, which knows who asked for it, and closes it by one of the other', async () => {
    replies.push(started, exists, described('FAILED'), started)
    const failure = { Error: 'ExecutionGone', Cause: 'gone' }
    const startRun = createJobStarter(machines, arns)
    expect([await startRun(run), await startRun(run), await startRun(run, failure)]).toEqual([
      'running',
      'ended',
      'running',
    ])
    expect(requests[0]?.body).toMatchObject({ stateMachineArn: arns.runs, name: 'run-43' })
    const place = { componentId: 'ex-generic-v2', configId: 'shop' }
    const asked = { authorTokenId: '7', configVersion: 3 }
    const input = JSON.stringify({ ...place, trigger: 'job 43', ...asked, branchId: 5, jobId: 43 })
    expect(requests[0]?.body).toMatchObject({ input })
    expect(requests[2]?.body).toEqual({
      executionArn: `${arns.runs.replace('stateMachine', 'execution')}:run-43`,
    })
    expect(requests[3]?.body).toMatchObject({ stateMachineArn: arns.jobs, name: 'job-43-close' })
  })

  it.each([
    ['RUNNING', 'running'],
    ['PENDING_REDRIVE', 'running'],
    ['SUCCEEDED', 'ended'],
    ['FAILED', 'ended'],
    ['TIMED_OUT', 'ended'],
    ['ABORTED', 'ended'],
  ])('asks for one that exists: %s means %s', async (status, expected) => {
    replies.push(exists, described(status))
    expect(await start()).toBe(expected)
    expect(requests[1]?.body).toEqual({
      executionArn: 'arn:aws:states:us-east-1:123456789012:execution:jobs:job-42',
    })
  })

  it('starts another one to close a job, once', async () => {
    const failure = { Error: 'ExecutionGone', Cause: 'gone' }
    replies.push(started, exists, described('SUCCEEDED'))
    expect([await start(failure), await start(failure)]).toEqual(['running', 'ended'])
    expect(requests[0]?.body).toEqual({
      stateMachineArn: machineArn,
      name: 'job-42-close',
      input: JSON.stringify({ jobId: 42, failure }),
    })
    expect(requests[2]?.body).toEqual({
      executionArn: `${machineArn.replace('stateMachine', 'execution')}:job-42-close`,
    })
  })

  it('passes on any other failure', async () => {
    replies.push({ status: 400, body: { __type: 'StateMachineDoesNotExist' } })
    await expect(start()).rejects.toMatchObject({ name: 'StateMachineDoesNotExist' })
  })
})

describe('an execution', () => {
  const gone = { status: 400, body: { __type: 'ExecutionDoesNotExist' } }

  it.each([
    ['that runs', described('RUNNING'), true],
    ['that waits to go on', described('PENDING_REDRIVE'), true],
    ['that has ended', described('SUCCEEDED'), false],
    ['that Step Functions has forgotten', gone, false],
  ])('%s is running or not', async (_which, reply, isRunning) => {
    replies.push(reply)
    expect(await createIsRunning(machines)('arn')).toBe(isRunning)
  })

  it('that is not there is not stopped', async () => {
    replies.push(gone)
    await machines.stop({ machineArn, name: 'run-1' }, { code: 'storage.jobs.cancelled', message: 'no' })
    expect(requests).toMatchObject([
      { operation: 'StopExecution', body: { error: 'storage.jobs.cancelled', cause: 'no' } },
    ])
  })
})
