import { Aws, Duration, type Stack } from 'aws-cdk-lib'
import { HttpApi } from 'aws-cdk-lib/aws-apigatewayv2'
import { Dashboard, GraphWidget, type IMetric } from 'aws-cdk-lib/aws-cloudwatch'
import { Queue } from 'aws-cdk-lib/aws-sqs'
import { NodeFunction } from './node-function.ts'
import { ownMetric, ownMetrics } from './own-metric.ts'
import type { StackConfig } from './stack-config.ts'

const period = Duration.minutes(5)

/** CloudWatch says "no data" in a graph of nothing: which is so in a shape without such work. */
const graph = (title: string, left: IMetric[]) => new GraphWidget({ title, left, width: 12, height: 7 })

/** One page of CloudWatch: what came in, what waits, what failed, and how the functions do. Made when all else is there. */
export const addDashboard = (stack: Stack, shape: StackConfig['shape']): void => {
  const parts = stack.node.findAll()
  const functions = parts.filter(part => part instanceof NodeFunction)
  const queues = parts.filter(part => part instanceof Queue)
  const apis = parts.filter(part => part instanceof HttpApi)
  const hasJobs = shape !== 'functions'
  const arrived = [
    ownMetric(stack, 'FilesLanded', 'imports'),
    ownMetric(stack, 'ExportsWritten', 'exports'),
    ...(hasJobs ? [ownMetrics(stack, 'JobRows', 'operation')] : []),
    ownMetric(stack, 'ExtractionRows', 'extraction'),
    ...apis.map(api => api.metricCount({ label: 'requests to the API', statistic: 'Sum', period })),
  ]
  const waiting = [
    ...(hasJobs
      ? [
          ownMetric(stack, 'OpenJobs', 'jobs', 'Maximum'),
          ownMetric(stack, 'OldestWaitingSeconds', 'jobs', 'Maximum'),
        ]
      : []),
    ...functions.map(each =>
      each.metric('ConcurrentExecutions', {
        label: `${each.node.id} at a time`,
        statistic: 'Maximum',
        period,
      }),
    ),
  ]
  const failed = [
    ownMetric(stack, 'FilesFailed', 'imports'),
    ownMetric(stack, 'ExportsFailed', 'exports'),
    ...(hasJobs ? [ownMetrics(stack, 'JobFailed', 'operation')] : []),
    ownMetric(stack, 'ExtractionFailed', 'extraction'),
    ...queues.map(queue => queue.metricApproximateNumberOfMessagesVisible({ period })),
    ...apis.map(api => api.metricServerError({ label: '5xx of the API', statistic: 'Sum', period })),
  ]
  const refused = functions.flatMap(each => [
    each.metricErrors({ label: `errors of ${each.node.id}`, period }),
    each.metricThrottles({ label: `${each.node.id} throttled`, period }),
  ])
  new Dashboard(stack, 'Dashboard', {
    // Dashboards are global in an account: the stack of another region would overwrite this one.
    dashboardName: `${Aws.STACK_NAME}-${Aws.REGION}`,
    widgets: [
      [graph('What came in', arrived), graph('What waits and runs', waiting)],
      [graph('What failed', failed), graph('Errors and refusals of functions', refused)],
    ],
  })
}
