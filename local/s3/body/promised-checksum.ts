import { S3Error } from '../errors.ts'
import {
  type ChecksumAlgorithm,
  checksumAlgorithms,
  checksumHeader,
  isChecksumValue,
  readAlgorithm,
} from './checksums.ts'

/** The checksum that a client sends with a body: in a header, or in the trailer once the body is over. */
export interface PromisedChecksum {
  algorithm: ChecksumAlgorithm
  /** base64; undefined when it comes in the trailer. */
  value: string | undefined
}

/** Reads `x-amz-checksum-*`, `x-amz-trailer` and `x-amz-sdk-checksum-algorithm`. At most one checksum is allowed. */
export const readPromisedChecksum = (
  headers: Readonly<Record<string, string>>,
): PromisedChecksum | undefined => {
  const trailer = headers['x-amz-trailer']?.trim().toLowerCase()
  const inTrailer = checksumAlgorithms.filter(algorithm => checksumHeader(algorithm) === trailer)
  if (trailer !== undefined && inTrailer.length === 0)
    throw new S3Error('InvalidRequest', 'The value specified in the x-amz-trailer header is not supported')
  const inHeaders = checksumAlgorithms.filter(algorithm => headers[checksumHeader(algorithm)] !== undefined)
  const [algorithm, other] = [...inTrailer, ...inHeaders]
  if (other !== undefined) throw new S3Error('InvalidRequest', 'A request has one checksum, not several.')
  const declared = readAlgorithm(headers['x-amz-sdk-checksum-algorithm'])
  if (declared !== undefined && declared !== algorithm)
    throw new S3Error(
      'InvalidRequest',
      'x-amz-sdk-checksum-algorithm names another checksum than x-amz-checksum-* or x-amz-trailer.',
    )
  if (algorithm === undefined) return undefined
  const value = headers[checksumHeader(algorithm)]
  if (value !== undefined) checkValue(algorithm, value)
  return { algorithm, value }
}

const checkValue = (algorithm: ChecksumAlgorithm, value: string): void => {
  if (!isChecksumValue(algorithm, value))
    throw new S3Error('InvalidRequest', `Value for ${checksumHeader(algorithm)} header is invalid.`)
}

/** Throws when the body has another checksum than the client says, or the trailer has none. */
export const checkPromise = (
  promised: PromisedChecksum,
  actual: string | undefined,
  trailers: ReadonlyMap<string, string> | undefined,
): void => {
  const { algorithm } = promised
  const value = promised.value ?? trailers?.get(checksumHeader(algorithm))
  if (value === undefined)
    throw new S3Error('InvalidRequest', `The trailer ${checksumHeader(algorithm)} is missing.`)
  checkValue(algorithm, value)
  if (value !== actual)
    throw new S3Error('BadDigest', `The ${algorithm} you specified did not match the calculated checksum.`)
}
