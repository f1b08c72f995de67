import { Metrics } from '@aws-lambda-powertools/metrics'
import { type MetricName, metricUnits } from './metric-units.ts'

interface Told {
  /** What figures are told apart by, besides the service; each value of one is a metric that is paid for. */
  dimensions?: Readonly<Record<string, string>>
  /** What their line in the log says besides, which costs nothing. */
  properties?: Readonly<Record<string, string>>
}

/**
 * Adds figures to metrics, all at once, as log lines in the embedded metric format, which CloudWatch reads; on one machine they are in the log. Their
 * namespace is that of the environment.
 */
export const createMeasure = (serviceName: string) => {
  const metrics = new Metrics({ serviceName })
  return (figures: Partial<Record<MetricName, number>>, { dimensions = {}, properties = {} }: Told = {}) => {
    metrics.addDimensions(dimensions)
    for (const [name, value] of Object.entries(properties)) metrics.addMetadata(name, value)
    // The keys of `figures` are names of metrics.
    for (const [name, value] of Object.entries(figures) as [MetricName, number][])
      metrics.addMetric(name, metricUnits[name], value)
    metrics.publishStoredMetrics()
    metrics.clearDimensions()
  }
}
