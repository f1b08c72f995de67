import { queryValue, type S3Request } from '../http/s3-request.ts'
import { commonPrefixOf, endOf, type ListStart, type listPage, successor } from '../storage/listing.ts'
import type { XmlNode } from '../xml/build-xml.ts'
import { readEncoding, readLimit } from './request-arguments.ts'

/** What every listing by keys is asked for. `describePage` is what each answer says of it. */
export const readListing = (request: S3Request, limitName: 'max-keys' | 'max-uploads') => {
  const { type, encode } = readEncoding(request)
  const prefix = queryValue(request, 'prefix') ?? ''
  const delimiter = queryValue(request, 'delimiter') ?? ''
  return {
    prefix,
    delimiter,
    limit: readLimit(request, limitName),
    encode,
    describePage: ({
      commonPrefixes,
      isTruncated,
    }: Pick<ReturnType<typeof listPage>, 'commonPrefixes' | 'isTruncated'>): XmlNode => ({
      Prefix: encode(prefix),
      Delimiter: delimiter === '' ? undefined : encode(delimiter),
      EncodingType: type,
      IsTruncated: isTruncated,
      CommonPrefixes: commonPrefixes.map(commonPrefix => ({ Prefix: encode(commonPrefix) })),
    }),
  }
}

/** Behind the marked one of a key, behind all of the key without `behind`, or behind the common prefix that holds it. */
export const startAfterMarker = <Mark>(
  key: string,
  behind: Mark | undefined,
  { prefix, delimiter }: { prefix: string; delimiter: string },
): ListStart<Mark> => {
  if (key === '') return { from: Buffer.of() }
  const group = commonPrefixOf(key, prefix, delimiter)
  if (group !== undefined) return { from: endOf(group) }
  return behind === undefined ? { from: successor(key) } : { from: Buffer.from(key), behind }
}
