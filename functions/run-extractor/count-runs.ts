import { createMeasure } from '../lib/aws/create-measure.ts'
import type { CountRun } from './services.ts'

/** The last result of each configuration. */
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
      { component: componentId, configuration: configId },
    )
}
