import { executionName } from '../lib/aws/execution-name.ts'
import type { Failure } from '../lib/errors/machine-failure.ts'
import type { StartImportDependencies } from './dependencies.ts'
import type { LandedObject } from './event.ts'

/** The component under which events of imports are listed. */
const COMPONENT = 'millrace-import'

interface FailedImport {
  landed: LandedObject
  execution: string
  failure: Failure
}

/** An event for an import that failed before it came to a job: the event of the job would have said it. */
export const reportFailure = (
  { storage, log }: Pick<StartImportDependencies, 'storage' | 'log'>,
  { landed: { bucket, key, versionId }, execution, failure: error }: FailedImport,
): Promise<void> =>
  storage
    .postEvent(
      {
        component: COMPONENT,
        type: 'error',
        message: `Import of ${key} failed: ${error.message}`,
        params: { bucket, key, versionId: versionId ?? null, error },
      },
      `${executionName(execution)}-end`,
    )
    // The key must be released all the same, and the dead letter says it too.
    .catch((reason: unknown) => log.warn('event not sent', { reason: String(reason) }))
