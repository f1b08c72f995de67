import { z } from 'zod'
import { executionName } from '../lib/aws/execution-name.ts'
import type { Failure } from '../lib/errors/machine-failure.ts'
import type { MergeSlicesServices } from './services.ts'

/** The component under which events of exports are listed. */
const COMPONENT = 'millrace-export'

/** As much as can be read: the input itself may be why the export failed. */
const asked = z
  .object({
    tableId: z.string().optional().catch(undefined),
    fileId: z.coerce.number().optional().catch(undefined),
    destination: z.object({ bucket: z.string(), key: z.string() }).optional().catch(undefined),
  })
  .catch({})

/** An event for an export that failed by itself, not by its job. */
export const reportFailure = (
  { storage, log }: Pick<MergeSlicesServices, 'storage' | 'log'>,
  { input, execution, failure: error }: { input?: unknown; execution: string; failure: Failure },
): Promise<void> => {
  const { tableId, fileId, destination } = asked.parse(input)
  const what = tableId ?? (fileId === undefined ? 'something that was not understood' : `file ${fileId}`)
  return (
    storage
      .postEvent(
        {
          component: COMPONENT,
          type: 'error',
          message: `Export of ${what} failed: ${error.message}`,
          params: { tableId, fileId, destination, error },
        },
        `${executionName(execution)}-end`,
      )
      // Nothing may be left of the export all the same, and the dead letter says it too.
      .catch((reason: unknown) => log.warn('event not sent', { reason: String(reason) }))
  )
}
