import type { SourceObject } from '../aws/multipart/source-object.ts'
import { UserError } from '../errors/errors.ts'
import { areParquet } from '../storage/files/list-slices.ts'
import { type LoadLimits, storedBytes } from './load-limits.ts'

/** Throws `UserError` `storage.load.tooLarge` for Parquet that outgrows one function: it is not cut. */
export const refuseLargeParquet = async (
  slices: readonly SourceObject[],
  { singleLoadBytes }: Pick<LoadLimits, 'singleLoadBytes'>,
): Promise<void> => {
  const bytes = storedBytes(slices)
  if (bytes <= singleLoadBytes || !(await areParquet(slices))) return
  throw new UserError(
    'storage.load.tooLarge',
    `The data has ${bytes} bytes, and one function loads ${singleLoadBytes}. Parquet is not cut: load it in several loads.`,
    { params: { bytes, singleLoadBytes } },
  )
}
