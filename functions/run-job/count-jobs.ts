import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics'

/** What a job did, as it is counted: imports, exports and all others by their operation. */
interface CountedJob {
  operation: string
  isSuccess: boolean
  rows: number
  seconds: number
}

export type CountJob = (job: CountedJob) => void

const METRIC_NAMESPACE = 'Millrace'

/** Jobs as metrics: log lines in the embedded metric format, which CloudWatch reads. */
export const createCountJob = (): CountJob => {
  const metrics = new Metrics({ namespace: METRIC_NAMESPACE, serviceName: 'jobs' })
  return ({ operation, isSuccess, rows, seconds }) => {
    metrics.addDimensions({ operation })
    metrics.addMetric('JobSucceeded', MetricUnit.Count, isSuccess ? 1 : 0)
    metrics.addMetric('JobFailed', MetricUnit.Count, isSuccess ? 0 : 1)
    metrics.addMetric('JobRows', MetricUnit.Count, rows)
    metrics.addMetric('JobSeconds', MetricUnit.Seconds, seconds)
    metrics.publishStoredMetrics()
    metrics.clearDimensions()
  }
}
