import { UserError } from '../../lib/errors/errors.ts'
import { defaultBranchId } from '../../lib/storage/db/branch-id.ts'

/** In a development branch states are set by their own routes. Error: 400 `storage.components.validation`. */
export const refuseStateInBranch = (
  branchId: number,
  state: unknown,
  what: 'configuration' | 'configuration row',
): void => {
  if (branchId === defaultBranchId || state === undefined) return
  throw new UserError(
    'storage.components.validation',
    `Using 'state' parameter on ${what} update is restricted for dev/branch context. Use direct API call.`,
  )
}
