import { createMeasure } from '../lib/cloud/create-measure.ts'
import type { CountRun } from './services.ts'

/** What runs did, in one set of metrics for all configurations; the line in the log names the configuration. */
export const createCountRun = (): CountRun => {
  const measure = createMeasure('extraction')
  return ({ componentId, configId, isSuccess, rowsLoaded, seconds, requests, retries, logins }) =>
    measure(
      {
        ExtractionSucceeded: isSuccess ? 1 : 0,
        ExtractionFailed: isSuccess ? 0 : 1,
        ExtractionRows: rowsLoaded,
        ExtractionSeconds: seconds,
        ExtractionRequests: requests,
        ExtractionRetries: retries,
        ExtractionLogins: logins,
      },
      { properties: { component: componentId, configuration: configId } },
    )
}
