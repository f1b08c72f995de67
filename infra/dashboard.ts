import { Aws, Duration, type Stack } from 'aws-cdk-lib'
import { Dashboard, GraphWidget, type IMetric, MathExpression, TextWidget } from 'aws-cdk-lib/aws-cloudwatch'
import { Architecture } from 'aws-cdk-lib/aws-lambda'
import type { Construct } from 'constructs'
import type { NodeFunction } from './node-function.ts'
import { ownMetric, ownMetrics } from './own-metric.ts'
import type { StackConfig } from './stack-config.ts'
import { partsOf, type StackParts } from './stack-parts.ts'

/**
 * What AWS asks for, in dollars: list prices of us-east-1, November 2026, without free tiers (docs/limits.md has more).
 * Constants only.
 */
export const prices = {
  gigabyteSecond: { arm64: 13.33 / 1e6, x86_64: 16.67 / 1e6 },
  invocation: 0.2 / 1e6,
  apiRequest: 1 / 1e6,
  itemRead: 0.125 / 1e6,
  itemWrite: 0.625 / 1e6,
} as const

const PRICES_OF = 'us-east-1, November 2026'

const period = Duration.minutes(5)

/** One page of CloudWatch: what came in, what waits and for how long, what failed, what it costs. Made when all else is there. */
export const addDashboard = (stack: Stack, shape: StackConfig['shape']): void => {
  const parts = partsOf(stack, shape)
  new Dashboard(stack, 'Dashboard', {
    // Dashboards are global in an account: the stack of another region would overwrite this one.
    dashboardName: `${Aws.STACK_NAME}-${Aws.REGION}`,
    widgets: [
      [title('What came in')],
      [graph('Files, rows', arrived(stack, parts)), graph('Requests, executions', begun(parts))],
      [title('What waits, and for how long')],
      [graph('Jobs', waiting(stack, parts)), graph('Functions at a time', running(parts))],
      [title('What failed')],
      [graph('Work', failedWork(stack, parts)), graph('Functions, tables, the API', failedCalls(parts))],
      [
        title(
          `What it costs: dollars in five minutes (list prices of ${PRICES_OF}), without S3, logs and state transitions`,
        ),
      ],
      [graph('Dollars', dollarsOf(parts)), graph('Bytes and seconds', spent(stack, parts))],
    ],
  })
}

const arrived = (stack: Stack, { hasJobs, hasFlows }: StackParts): IMetric[] => [
  ...(hasFlows
    ? [ownMetric(stack, 'FilesLanded', 'imports'), ownMetric(stack, 'ExportsWritten', 'exports')]
    : []),
  ...(hasJobs ? [ownMetrics(stack, 'JobRows', 'operation')] : []),
  ...(hasFlows ? [ownMetric(stack, 'ExtractionRows', 'extraction')] : []),
]

const begun = ({ apis, machines }: StackParts): IMetric[] => [
  ...apis.map(api => api.metricCount({ label: 'requests to the API', statistic: 'Sum', period })),
  ...machines.map(machine => machine.metricStarted({ label: nameOf(machine), period })),
]

const waiting = (stack: Stack, { hasJobs, queues }: StackParts): IMetric[] => [
  ...(hasJobs
    ? [
        ownMetric(stack, 'OpenJobs', 'jobs', 'Maximum'),
        ownMetric(stack, 'OldestWaitingSeconds', 'jobs', 'Maximum'),
        ownMetrics(stack, 'JobWaitSeconds', 'operation', 'p90'),
      ]
    : []),
  ...queues.map(queue =>
    queue.metricApproximateAgeOfOldestMessage({ label: `seconds in ${nameOf(queue)}`, period }),
  ),
]

const running = ({ functions }: StackParts): IMetric[] =>
  functions.map(each =>
    each.metric('ConcurrentExecutions', { label: nameOf(each), statistic: 'Maximum', period }),
  )

const failedWork = (stack: Stack, { hasJobs, hasFlows, queues, machines }: StackParts): IMetric[] => [
  ...(hasFlows
    ? [ownMetric(stack, 'FilesFailed', 'imports'), ownMetric(stack, 'ExportsFailed', 'exports')]
    : []),
  ...(hasJobs ? [ownMetrics(stack, 'JobFailed', 'operation')] : []),
  ...(hasFlows ? [ownMetric(stack, 'ExtractionFailed', 'extraction')] : []),
  ...queues.map(queue =>
    queue.metricApproximateNumberOfMessagesVisible({ label: `in ${nameOf(queue)}`, period }),
  ),
  ...machines.flatMap(machine => [
    machine.metricTimedOut({ label: `${nameOf(machine)} timed out`, period }),
    machine.metricAborted({ label: `${nameOf(machine)} stopped`, period }),
  ]),
]

const failedCalls = ({ functions, tables, apis }: StackParts): IMetric[] => [
  ...functions.flatMap(each => [
    each.metricErrors({ label: `errors of ${nameOf(each)}`, period }),
    each.metricThrottles({ label: `${nameOf(each)} refused`, period }),
  ]),
  ...tables.flatMap(table =>
    ['ReadThrottleEvents', 'WriteThrottleEvents'].map(name =>
      table.metric(name, { statistic: 'Sum', period }),
    ),
  ),
  ...apis.flatMap(api => [
    api.metricClientError({ label: '4xx of the API', statistic: 'Sum', period }),
    api.metricServerError({ label: '5xx of the API', statistic: 'Sum', period }),
  ]),
]

const spent = (stack: Stack, { hasJobs, hasFlows, functions }: StackParts): IMetric[] => [
  ...(hasJobs
    ? [ownMetrics(stack, 'JobBytes', 'operation'), ownMetrics(stack, 'JobSeconds', 'operation')]
    : []),
  ...(hasFlows
    ? [
        ownMetric(stack, 'ExtractionRequests', 'extraction'),
        ownMetric(stack, 'ExtractionLogins', 'extraction'),
      ]
    : []),
  ...functions.map(each =>
    each.metricDuration({ label: `milliseconds of ${nameOf(each)}`, statistic: 'Sum', period }),
  ),
]

/** `Storage/Jobs/Machine`: where it is in the stack. */
const nameOf = ({ node }: Construct): string => node.path.slice(node.path.indexOf('/') + 1)

const title = (markdown: string) => new TextWidget({ markdown: `## ${markdown}`, width: 24, height: 1 })

/** CloudWatch says "no data" in a graph of nothing: which is so in a shape without such work. */
const graph = (title: string, left: IMetric[]) => new GraphWidget({ title, left, width: 12, height: 7 })

/** A metric and what one of it costs, in dollars. */
type Priced = readonly [metric: IMetric, price: number]

/** What the parts of a stack cost, as far as metrics say how much was used: functions, items, the API. */
const dollarsOf = ({ functions, tables, apis }: StackParts): IMetric[] => [
  dollars('functions', functions.flatMap(pricedFunction)),
  dollars(
    'DynamoDB',
    tables.flatMap((table): Priced[] => [
      [table.metricConsumedReadCapacityUnits({ period }), prices.itemRead],
      [table.metricConsumedWriteCapacityUnits({ period }), prices.itemWrite],
    ]),
  ),
  ...apis.map(api =>
    dollars('API Gateway', [[api.metricCount({ statistic: 'Sum', period }), prices.apiRequest]]),
  ),
]

const pricedFunction = (each: NodeFunction<string>): Priced[] => {
  const { gigabyteSecond, invocation } = prices
  const ofSecond = gigabyteSecond[each.architecture === Architecture.ARM_64 ? 'arm64' : 'x86_64']
  return [
    [each.metricDuration({ statistic: 'Sum', period }), (ofSecond * (each.memoryMiB / 1024)) / 1000],
    [each.metricInvocations({ period }), invocation],
  ]
}

/** Metric math has no numbers as small as these prices. */
const PER = 1e15

/** Ids of metrics hold for a whole graph. */
const idOf = (label: string, at: number) => `${label.toLowerCase().replaceAll(/\W/g, '')}${at}`

const dollars = (label: string, priced: readonly Priced[]): IMetric =>
  new MathExpression({
    label,
    // Without FILL, one function that did not run would hide the sum.
    expression: `(${priced.map(([, price], at) => `FILL(${idOf(label, at)}, 0) * ${Math.round(price * PER)}`).join(' + ')}) / ${PER}`,
    usingMetrics: Object.fromEntries(priced.map(([metric], at) => [idOf(label, at), metric])),
    period,
  })
