import type { SourceObject } from '../aws/multipart/source-object.ts'
import { UserError } from '../errors/errors.ts'
import { isGzip } from '../storage/files/list-slices.ts'
import { GZIP_LIMITS, type GzipLimits, sliceTooLarge } from './gzip-limits.ts'

/** What the storage service loads. */
export interface LoadLimits {
  /** Whether loads that outgrow one function are done side by side. `false`: they are refused. */
  isOn: boolean
  /** A load of more stored bytes outgrows one function. */
  singleLoadBytes: number
}

/** What is known of a load before it is accepted. */
export interface AcceptedLoads extends LoadLimits {
  gzip: GzipLimits
}

/** From the environment of a function. */
export const readAcceptedLoads = (env: {
  DISTRIBUTED: string
  SINGLE_LOAD_BYTES: string
}): AcceptedLoads => ({
  isOn: env.DISTRIBUTED === 'true',
  singleLoadBytes: Number(env.SINGLE_LOAD_BYTES),
  gzip: GZIP_LIMITS,
})

/** As stored. */
export const storedBytes = (slices: readonly Pick<SourceObject, 'bytes'>[]): number =>
  slices.reduce((sum, { bytes }) => sum + bytes, 0)

/** Whether a load outgrows one function. Throws `UserError` `storage.load.tooLarge` when such loads are switched off. */
export const isOutgrown = (
  slices: readonly Pick<SourceObject, 'bytes'>[],
  { isOn, singleLoadBytes }: LoadLimits,
): boolean => {
  const bytes = storedBytes(slices)
  if (bytes <= singleLoadBytes) return false
  if (isOn) return true
  throw new UserError(
    'storage.load.tooLarge',
    `The data has ${bytes} bytes, and one function loads ${singleLoadBytes}. Larger loads are cut and loaded side by ` +
      'side when "distributed" is true in the stack configuration (the context of cdk.json): set it and deploy again.',
    { params: { bytes, singleLoadBytes } },
  )
}

/**
 * Refuses at once what its job would refuse later: by size, and a compressed slice by its own size, since gzip cannot be
 * cut. Reads two bytes of each slice that is larger than that. Throws `UserError` `storage.load.tooLarge`, `storage.load.sliceTooLarge`.
 */
export const refuseTooLarge = async (
  slices: readonly SourceObject[],
  limits: AcceptedLoads,
): Promise<void> => {
  if (!isOutgrown(slices, limits)) return
  for (const [index, slice] of slices.entries()) {
    if (slice.bytes <= limits.gzip.compressedBytes || !(await isGzip([slice]))) continue
    const what = slices.length === 1 ? 'The file' : `Slice ${index + 1} of ${slices.length}`
    throw sliceTooLarge(what, `has ${slice.bytes} bytes`, limits.gzip)
  }
}
