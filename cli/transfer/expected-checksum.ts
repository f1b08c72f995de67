import { HeadObjectCommand } from '@aws-sdk/client-s3'
import pMap from 'p-map'
import { combineCrc32, parseCrc32 } from '../../functions/lib/aws/multipart/combine-crc32.ts'
import type { SourceObject } from '../../functions/lib/aws/multipart/source-object.ts'

const HEADS_IN_PARALLEL = 16

/**
 * CRC32 of all objects in a row, combined from the checksums that S3 has. `undefined` when one object has none: other
 * tools store other checksums, or one per part.
 */
export const expectedChecksum = async (sources: readonly SourceObject[]): Promise<number | undefined> => {
  const checksums = await pMap(
    sources,
    async ({ s3, bucket, key, etag, bytes }) => {
      if (bytes === 0) return { crc: 0, bytes }
      const head = await s3.send(
        new HeadObjectCommand({ Bucket: bucket, Key: key, IfMatch: etag, ChecksumMode: 'ENABLED' }),
      )
      const isOfWhole = head.ChecksumCRC32 !== undefined && !head.ChecksumCRC32.includes('-')
      return { crc: isOfWhole ? parseCrc32(head.ChecksumCRC32 ?? '') : undefined, bytes }
    },
    { concurrency: HEADS_IN_PARALLEL },
  )
  let whole = 0
  for (const { crc, bytes } of checksums) {
    if (crc === undefined) return undefined
    whole = combineCrc32(whole, crc, bytes)
  }
  return whole
}
