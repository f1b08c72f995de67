import { Duration, type Stack } from 'aws-cdk-lib'
import { type IMetric, MathExpression } from 'aws-cdk-lib/aws-cloudwatch'
import { Architecture } from 'aws-cdk-lib/aws-lambda'
import type { NodeFunction } from './node-function.ts'
import { ownMetric } from './own-metric.ts'
import { prices } from './prices.ts'
import type { StackParts } from './stack-parts.ts'

const period = Duration.minutes(5)

/** A metric and what one of it costs, in dollars. */
type Priced = readonly [metric: IMetric, price: number]

/** What the parts of a stack cost, as far as metrics say how much was used: functions, items, the API, Athena. */
export const dollarsOf = (stack: Stack, { functions, tables, apis, hasJobs }: StackParts): IMetric[] => [
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
  ...(hasJobs ? [dollars('Athena', [[ownMetric(stack, 'QueryBytes', 'queries'), prices.scannedByte]])] : []),
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
