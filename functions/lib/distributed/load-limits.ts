import type { SourceObject } from '../aws/multipart/source-object.ts'
import { isGzip } from '../storage/files/list-slices.ts'
import { type GzipLimits, sliceTooLarge } from './gzip-limits.ts'

/** What is known of a load before it is accepted. */
export interface AcceptedLoads {
  /** A load of more stored bytes outgrows one function. */
  singleLoadBytes: number
  gzip: GzipLimits
}

/** As stored. */
export const storedBytes = (slices: readonly Pick<SourceObject, 'bytes'>[]): number =>
  slices.reduce((sum, { bytes }) => sum + bytes, 0)

/**
 * Refuses at once what its job would refuse later: in a load that outgrows one function, a compressed slice by its own
 * size, since gzip cannot be cut. Reads two bytes of each slice that is larger than that. Throws `UserError`
 * `storage.load.sliceTooLarge`.
 */
export const refuseTooLarge = async (
  slices: readonly SourceObject[],
  limits: AcceptedLoads,
): Promise<void> => {
  if (storedBytes(slices) <= limits.singleLoadBytes) return
  for (const [index, slice] of slices.entries()) {
    if (slice.bytes <= limits.gzip.compressedBytes || !(await isGzip([slice]))) continue
    const what = slices.length === 1 ? 'The file' : `Slice ${index + 1} of ${slices.length}`
    throw sliceTooLarge(what, `has ${slice.bytes} bytes`, limits.gzip)
  }
}
