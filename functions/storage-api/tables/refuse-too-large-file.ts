import { refuseTooLarge } from '../../lib/distributed/load-limits.ts'
import { UserError } from '../../lib/errors/errors.ts'
import type { FileRecord } from '../../lib/storage/files/file-store.ts'
import type { Services } from '../services.ts'

/**
 * Refuses a file that no job would load, by what is stored now: 400 `storage.load.tooLarge`, `storage.load.sliceTooLarge`.
 * The job looks again. It also says what else is wrong with the file: a file that is not whole yet may become so.
 */
export const refuseTooLargeFile = async (
  file: FileRecord,
  { fileAccess, acceptedLoads }: Pick<Services, 'fileAccess' | 'acceptedLoads'>,
): Promise<void> => {
  const slices = await fileAccess.slices(file).catch((error: unknown) => {
    if (error instanceof UserError) return undefined
    throw error
  })
  if (slices) await refuseTooLarge(slices, acceptedLoads)
}
