import { S3Error } from '../errors.ts'
import {
  type ChecksumAlgorithm,
  checksumAlgorithms,
  checksumHeader,
  isChecksumAlgorithm,
  isChecksumValue,
} from './checksums.ts'

/** The checksum that a client sends with a body: in a header, or in the trailer once the body is over. */
interface PromisedChecksum {
  algorithm: ChecksumAlgorithm
  /** base64; undefined when it comes in the trailer. */
  value: string | undefined
}

type Headers = Readonly<Record<string, string>>

/** Reads `x-amz-checksum-*`, `x-amz-trailer` and `x-amz-sdk-checksum-algorithm`. At most one checksum is allowed. */
export const readPromisedChecksum = (headers: Headers): PromisedChecksum | undefined => {
  const trailer = headers['x-amz-trailer']?.trim().toLowerCase()
  const inTrailer = checksumAlgorithms.find(algorithm => checksumHeader(algorithm) === trailer)
  if (trailer !== undefined && inTrailer === undefined)
    throw new S3Error('InvalidRequest', 'The value specified in the x-amz-trailer header is not supported')
  const inHeaders = checksumAlgorithms.filter(algorithm => headers[checksumHeader(algorithm)] !== undefined)
  if (inHeaders.length + (inTrailer === undefined ? 0 : 1) > 1)
    throw new S3Error(
      'InvalidRequest',
      'Expecting a single x-amz-checksum- header. Multiple checksum Types are not allowed.',
    )

  const algorithm = inTrailer ?? inHeaders[0]
  checkDeclaredAlgorithm(headers['x-amz-sdk-checksum-algorithm'], algorithm)
  if (algorithm === undefined) return undefined
  const value = headers[checksumHeader(algorithm)]
  if (value !== undefined) checkValue(algorithm, value)
  return { algorithm, value }
}

export const checkValue = (algorithm: ChecksumAlgorithm, value: string): void => {
  if (!isChecksumValue(algorithm, value))
    throw new S3Error('InvalidRequest', `Value for ${checksumHeader(algorithm)} header is invalid.`)
}

const checkDeclaredAlgorithm = (
  declared: string | undefined,
  algorithm: ChecksumAlgorithm | undefined,
): void => {
  if (declared === undefined) return
  if (!isChecksumAlgorithm(declared.toUpperCase()))
    throw new S3Error(
      'InvalidRequest',
      'Checksum algorithm provided is unsupported. Please try again with a supported one.',
    )
  if (algorithm === undefined)
    throw new S3Error(
      'InvalidRequest',
      'x-amz-sdk-checksum-algorithm specified, but no corresponding x-amz-checksum-* or x-amz-trailer headers were found.',
    )
  if (declared.toUpperCase() !== algorithm)
    throw new S3Error('InvalidRequest', 'Value for x-amz-sdk-checksum-algorithm header is invalid.')
}
