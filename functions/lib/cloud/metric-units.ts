/**
 * All that is measured, with its unit (docs/operations.md has the meanings). Constants only: infra/ imports this file.
 */
export const metricUnits = {
  FilesLanded: 'Count',
  FilesFailed: 'Count',
  ExportsWritten: 'Count',
  ExportsFailed: 'Count',
  JobSucceeded: 'Count',
  JobFailed: 'Count',
  JobRows: 'Count',
  JobBytes: 'Bytes',
  JobSeconds: 'Seconds',
  JobWaitSeconds: 'Seconds',
  OpenJobs: 'Count',
  OldestWaitingSeconds: 'Seconds',
  ExtractionSucceeded: 'Count',
  ExtractionFailed: 'Count',
  ExtractionRows: 'Count',
  ExtractionSeconds: 'Seconds',
  ExtractionRequests: 'Count',
  ExtractionRetries: 'Count',
  ExtractionLogins: 'Count',
  ExecutionsFailed: 'Count',
} as const satisfies Record<string, 'Count' | 'Bytes' | 'Seconds'>

export type MetricName = keyof typeof metricUnits

/** Names the namespace, so that two stacks of one account are told apart. Read by Powertools. */
export const METRIC_NAMESPACE_VARIABLE = 'POWERTOOLS_METRICS_NAMESPACE'
