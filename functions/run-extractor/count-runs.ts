import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics'
import type { CountRun } from './services.ts'

const METRIC_NAMESPACE = 'Millrace'

/** The last result of each configuration as metrics: log lines in the embedded metric format, which CloudWatch reads. */
export const createCountRun = (): CountRun => {
  const metrics = new Metrics({ namespace: METRIC_NAMESPACE, serviceName: 'extraction' })
  return ({ componentId, configId, isSuccess, rowsLoaded, seconds }) => {
    metrics.addDimensions({ component: componentId, configuration: configId })
    metrics.addMetric('ExtractionSucceeded', MetricUnit.Count, isSuccess ? 1 : 0)
    metrics.addMetric('ExtractionFailed', MetricUnit.Count, isSuccess ? 0 : 1)
    metrics.addMetric('ExtractionRows', MetricUnit.Count, rowsLoaded)
    metrics.addMetric('ExtractionSeconds', MetricUnit.Seconds, seconds)
    metrics.publishStoredMetrics()
    metrics.clearDimensions()
  }
}
