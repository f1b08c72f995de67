import { Duration, type Stack } from 'aws-cdk-lib'
import { type IMetric, Metric, SearchExpression } from 'aws-cdk-lib/aws-cloudwatch'
import type { MetricName } from '../functions/lib/cloud/metric-units.ts'

const period = Duration.minutes(5)

/** A metric that functions of the stack write. `service`: the name that the function gives itself there. */
export const ownMetric = (
  stack: Stack,
  metricName: MetricName,
  service: 'imports' | 'exports' | 'jobs' | 'extraction',
  statistic: 'Sum' | 'Maximum' = 'Sum',
): Metric =>
  new Metric({ namespace: stack.stackName, metricName, dimensionsMap: { service }, statistic, period })

/** One line for each operation that there is. */
export const ownMetrics = (
  stack: Stack,
  metricName: MetricName,
  by: 'operation',
  statistic: 'Sum' | 'p90' = 'Sum',
): IMetric =>
  new SearchExpression({
    expression: `SEARCH('{"${stack.stackName}",service,${by}} MetricName="${metricName}"', '${statistic}', ${period.toSeconds()})`,
    label: metricName,
    period,
  })
