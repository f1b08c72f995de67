import { randomUUID } from 'node:crypto'
import { account } from '../resources/resource-type.ts'
import type { ExecutionRecord } from './execution-record.ts'

/** The event of an execution that began or ended (EventBridge events, "Step Functions Execution Status Change"). */
export const statusChange = (record: ExecutionRecord): Record<string, unknown> => ({
  version: '0',
  id: randomUUID(),
  'detail-type': 'Step Functions Execution Status Change',
  source: 'aws.states',
  account: account.id,
  time: record.status === 'RUNNING' ? record.startDate : record.stopDate,
  region: account.region,
  resources: [record.executionArn],
  detail: {
    executionArn: record.executionArn,
    stateMachineArn: record.stateMachineArn,
    name: record.name,
    status: record.status,
    startDate: Date.parse(record.startDate),
    stopDate: record.status === 'RUNNING' ? null : Date.parse(record.stopDate),
    input: record.input,
    inputDetails: { included: true },
    output: record.status === 'SUCCEEDED' ? record.output : null,
    outputDetails: record.status === 'SUCCEEDED' ? { included: true } : null,
    error: 'error' in record ? (record.error ?? null) : null,
    cause: 'cause' in record ? (record.cause ?? null) : null,
  },
})
