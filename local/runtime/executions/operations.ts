import { z } from 'zod'
import { type Operations, operation } from '../control/aws-json-server.ts'
import type { ExecutionRecord } from './execution-store.ts'
import type { Executions } from './executions.ts'

const statuses = ['RUNNING', 'SUCCEEDED', 'FAILED', 'TIMED_OUT', 'ABORTED'] as const

/** The operations of Step Functions (AWS JSON 1.0) on the machines of the template. */
export const executionOperations = (executions: Executions): Operations => ({
  'AWSStepFunctions.StartExecution': operation({
    action: 'states:StartExecution',
    input: z.object({
      stateMachineArn: z.string(),
      name: z.string().optional(),
      input: z.string().optional(),
      traceHeader: z.string().optional(),
    }),
    resource: ({ stateMachineArn }) => stateMachineArn,
    run: async ({ stateMachineArn, name, input }) => {
      const { executionArn, startDate } = await executions.start(stateMachineArn, input, name)
      return { executionArn, startDate: toSeconds(startDate) }
    },
  }),

  'AWSStepFunctions.DescribeExecution': operation({
    action: 'states:DescribeExecution',
    input: z.object({ executionArn: z.string() }),
    resource: ({ executionArn }) => executionArn,
    run: ({ executionArn }) => describe(executions.describe(executionArn)),
  }),

  'AWSStepFunctions.ListExecutions': operation({
    action: 'states:ListExecutions',
    input: z.object({
      stateMachineArn: z.string(),
      statusFilter: z.enum(statuses).optional(),
      maxResults: z.number().int().min(0).max(1000).default(100),
      nextToken: z.string().regex(/^\d+$/).optional(),
    }),
    resource: ({ stateMachineArn }) => stateMachineArn,
    run: ({ stateMachineArn, statusFilter, maxResults, nextToken = '0' }) => {
      const all = executions.list(stateMachineArn, statusFilter)
      const end = Number(nextToken) + (maxResults || 100)
      const page = all.slice(Number(nextToken), end).map(record => {
        const { input: _, output: _output, ...item } = describe(record)
        return item
      })
      return { executions: page, ...(end < all.length && { nextToken: String(end) }) }
    },
  }),

  'AWSStepFunctions.GetExecutionHistory': operation({
    action: 'states:GetExecutionHistory',
    input: z.object({
      executionArn: z.string(),
      maxResults: z.number().int().min(0).max(1000).default(100),
      reverseOrder: z.boolean().default(false),
      includeExecutionData: z.boolean().optional(),
      nextToken: z.string().regex(/^\d+$/).optional(),
    }),
    resource: ({ executionArn }) => executionArn,
    run: ({ executionArn, maxResults, reverseOrder, nextToken = '0' }) => {
      const all = executions.history(executionArn).map(({ name, type, at }, index) => ({
        id: index + 1,
        previousEventId: index,
        timestamp: toSeconds(at),
        type: `${type}StateEntered`,
        stateEnteredEventDetails: { name },
      }))
      if (reverseOrder) all.reverse()
      const end = Number(nextToken) + (maxResults || 100)
      const events = all.slice(Number(nextToken), end)
      return { events, ...(end < all.length && { nextToken: String(end) }) }
    },
  }),

  'AWSStepFunctions.StopExecution': operation({
    action: 'states:StopExecution',
    input: z.object({ executionArn: z.string(), error: z.string().optional(), cause: z.string().optional() }),
    resource: ({ executionArn }) => executionArn,
    run: async ({ executionArn, error, cause }) => {
      const { stopDate } = await executions.stop(executionArn, error, cause)
      return { stopDate: toSeconds(stopDate) }
    },
  }),
})

/** On the wire, times are seconds since 1970. */
const toSeconds = (date: string) => Date.parse(date) / 1000

const describe = (record: ExecutionRecord) => ({
  ...record,
  isUnannounced: undefined,
  startDate: toSeconds(record.startDate),
  stopDate: record.status === 'RUNNING' ? undefined : toSeconds(record.stopDate),
  output: record.status === 'SUCCEEDED' ? record.output : undefined,
})
