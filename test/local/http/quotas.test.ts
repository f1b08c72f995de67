import { expect, it } from 'vitest'
import { z } from 'zod'
import { Quotas } from '#local/http/quotas.ts'
import { ControlServer, operation } from '#local/runtime/control/aws-json-server.ts'

const admitted = (quotas: Quotas, action: string, calls: number): number =>
  Array.from({ length: calls }, () => quotas.admits(action)).filter(Boolean).length

it.each([
  ['states:DescribeExecution', 250, 10],
  ['states:ListExecutions', 100, 2],
  ['states:StartExecution', 800, 150],
  ['sts:AssumeRole', 600, 600],
])('of %s an account may make %i calls at once and %i a second', (action, atOnce, perSecond) => {
  let now = 0
  const quotas = new Quotas(() => now)
  expect(admitted(quotas, action, 1000)).toBe(atOnce)
  now += 1000
  expect(admitted(quotas, action, 1000)).toBe(perSecond)
  now += 3_600_000
  expect(admitted(quotas, action, 1000)).toBe(atOnce)
})

it('calls of other actions are not counted, and those of one action do not use up another', () => {
  const quotas = new Quotas(() => 0)
  expect(admitted(quotas, 'sqs:SendMessage', 10_000)).toBe(10_000)
  admitted(quotas, 'states:ListExecutions', 1000)
  expect(quotas.admits('states:DescribeExecution')).toBe(true)
})

it('a caller beyond the quota gets the answer of AWS, and the operation is not run', async () => {
  let runs = 0
  const server = new ControlServer({
    authenticate: () => ({ roleArn: undefined }),
    isAllowed: () => true,
    log: () => {},
    quotas: new Quotas(() => 0),
  })
  server.serve({
    'AWSStepFunctions.ListExecutions': operation({
      action: 'states:ListExecutions',
      input: z.object({}),
      resource: () => '*',
      run: () => ({ executions: [runs++] }),
    }),
  })
  const url = await server.listen()
  const list = () =>
    fetch(url, { method: 'POST', headers: { 'x-amz-target': 'AWSStepFunctions.ListExecutions' }, body: '{}' })
  try {
    for (let call = 0; call < 100; call++) expect((await list()).status).toBe(200)
    const refused = await list()
    expect(refused.status).toBe(400)
    expect(await refused.json()).toMatchObject({ __type: 'ThrottlingException' })
    expect(runs).toBe(100)
  } finally {
    await server.close()
  }
})
