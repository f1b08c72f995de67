import { randomUUID } from 'node:crypto'
import { account } from '../resources/resource-type.ts'
import type { EndedExecution } from './execution-record.ts'

/** The event of an execution that ended (EventBridge events, "Step Functions Execution Status Change"). */
export const statusChange = (ended: EndedExecution): Record<string, unknown> => ({
  version: '0',
  id: randomUUID(),
  'detail-type': 'Step Functions Execution Status Change',
  source: 'aws.states',
  account: account.id,
  time: ended.stopDate,
  region: account.region,
  resources: [ended.executionArn],
  detail: {
    executionArn: ended.executionArn,
    stateMachineArn: ended.stateMachineArn,
    name: ended.name,
    status: ended.status,
    startDate: Date.parse(ended.startDate),
    stopDate: Date.parse(ended.stopDate),
    input: ended.input,
    inputDetails: { included: true },
    output: ended.status === 'SUCCEEDED' ? ended.output : null,
    outputDetails: ended.status === 'SUCCEEDED' ? { included: true } : null,
    error: ended.status === 'SUCCEEDED' ? null : (ended.error ?? null),
    cause: ended.status === 'SUCCEEDED' ? null : (ended.cause ?? null),
  },
})
