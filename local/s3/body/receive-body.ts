import { createHash } from 'node:crypto'
import { verifyChunks } from '../auth/chunk-signatures.ts'
import { invalidArgument, S3Error } from '../errors.ts'
import type { S3Request } from '../http/s3-request.ts'
import type { DataFiles } from '../storage/data-files.ts'
import type { NewContent, NewFile } from '../storage/stored-object.ts'
import { type BodyTarget, openBodyTarget } from './body-target.ts'
import { type ChecksumAlgorithm, checksumHeader, startChecksum } from './checksums.ts'
import { ChunkedDecoder } from './chunked-decoder.ts'
import { checkValue, readPromisedChecksum } from './promised-checksum.ts'

// S3 User Guide, "Uploading objects": a single PUT and a single part carry at most 5 GiB.
const maxBodyBytes = 5 * 1024 ** 3

/**
 * Streams the body of a PUT to a new file, a small one to memory, and verifies everything that the client said about it:
 * length, SHA-256, MD5, checksum, chunk signatures. One pass; about 1 MiB in memory.
 *
 * `wanted` is a checksum to compute even when the client sends none. A file in the data folder is synced when this
 * resolves; on any failure it is gone.
 */
export const receiveBody = async (
  request: S3Request,
  files: DataFiles,
  wanted?: ChecksumAlgorithm,
): Promise<NewContent> => {
  const expected = readExpectations(request)
  const algorithm = expected.promised?.algorithm ?? wanted
  const md5 = createHash('md5')
  const sha256 = request.bodyForm.sha256 === undefined ? undefined : createHash('sha256')
  const checksum = algorithm === undefined ? undefined : startChecksum(algorithm)
  const decoder = openDecoder(request)

  const target = await openBodyTarget(files, expected.size.most)
  try {
    const look = (bytes: Buffer): void => {
      md5.update(bytes)
      sha256?.update(bytes)
      checksum?.update(bytes)
    }
    const newFile = await writeAll(target, request, decoder, { expected: expected.size, look })
    const { size } = target.sink
    if (sha256 !== undefined && sha256.digest('hex') !== request.bodyForm.sha256)
      throw new S3Error('XAmzContentSHA256Mismatch')
    const digest = md5.digest()
    if (expected.md5 !== undefined && !digest.equals(expected.md5)) throw new S3Error('BadDigest')
    const value = await checksum?.digest()
    checkChecksum(expected.promised, value, decoder?.trailers)
    if (size === 0) await target.discard()
    return {
      size,
      md5: digest.toString('hex'),
      checksums: algorithm === undefined || value === undefined ? {} : { [algorithm]: value },
      slices: size === 0 ? [] : [{ file: newFile.name, fileStart: 0, size }],
      newFiles: size === 0 ? [] : [newFile],
    }
  } catch (error) {
    await target.discard()
    throw error
  }
}

const writeAll = async (
  { sink, finish, close }: BodyTarget,
  request: S3Request,
  decoder: ChunkedDecoder | undefined,
  { expected, look }: { expected: ExpectedSize; look: (bytes: Buffer) => void },
): Promise<NewFile> => {
  try {
    for await (const piece of request.rawBody()) {
      for (const bytes of decoder === undefined ? [piece] : decoder.decode(piece)) {
        look(bytes)
        const waiting = sink.write(bytes)
        if (waiting !== undefined) await waiting
        if (sink.size > expected.most) throw wrongSize(expected, sink.size)
      }
    }
    decoder?.finish()
    if (sink.size < expected.least) throw wrongSize(expected, sink.size)
    return await finish()
  } finally {
    await close()
  }
}

/** The bytes that the body may have, both included. */
interface ExpectedSize {
  least: number
  most: number
  /** Whether a header says the length; then both are the same. */
  isPromised?: boolean
}

const wrongSize = ({ least, most, isPromised }: ExpectedSize, size: number): S3Error => {
  if (isPromised)
    return new S3Error('IncompleteBody', 'The request body does not have the length that its headers say.')
  const proposed = { ProposedSize: String(size) }
  return size > most
    ? new S3Error('EntityTooLarge', undefined, { ...proposed, MaxSizeAllowed: String(most) })
    : new S3Error('EntityTooSmall', undefined, { ...proposed, MinSizeAllowed: String(least) })
}

const readExpectations = (request: S3Request) => {
  const { headers, bodyForm } = request
  const promised = readPromisedChecksum(headers)
  if (promised !== undefined && promised.value === undefined && bodyForm.chunked?.hasTrailer !== true)
    throw new S3Error('InvalidRequest', 'The x-amz-trailer header needs a body with a trailer.')
  return { size: bodyForm.size ?? readLength(request), promised, md5: readMd5(headers['content-md5']) }
}

const readLength = ({ headers, bodyForm }: S3Request): ExpectedSize => {
  const lengthHeader = bodyForm.chunked === undefined ? 'content-length' : 'x-amz-decoded-content-length'
  const length = headers[lengthHeader]
  if (length === undefined) throw new S3Error('MissingContentLength')
  if (!/^\d{1,15}$/.test(length))
    throw invalidArgument(`${lengthHeader} is not a number.`, lengthHeader, length)
  const size = Number(length)
  if (size > maxBodyBytes)
    throw new S3Error('EntityTooLarge', undefined, {
      ProposedSize: length,
      MaxSizeAllowed: String(maxBodyBytes),
    })
  return { least: size, most: size, isPromised: true }
}

const readMd5 = (header: string | undefined): Buffer | undefined => {
  if (header === undefined) return undefined
  const md5 = Buffer.from(header, 'base64')
  if (md5.length !== 16 || md5.toString('base64') !== header) throw new S3Error('InvalidDigest')
  return md5
}

const openDecoder = ({ bodyForm, caller }: S3Request): ChunkedDecoder | undefined => {
  if (bodyForm.chunked === undefined) return undefined
  const { isSigned, hasTrailer } = bodyForm.chunked
  return new ChunkedDecoder(
    isSigned ? verifyChunks(caller.signingKey, caller.scope, caller.signature, hasTrailer) : undefined,
  )
}

const checkChecksum = (
  promised: ReturnType<typeof readPromisedChecksum>,
  actual: string | undefined,
  trailers: ReadonlyMap<string, string> | undefined,
): void => {
  if (promised === undefined) return
  const header = checksumHeader(promised.algorithm)
  const value = promised.value ?? trailers?.get(header)
  if (value === undefined) throw new S3Error('InvalidRequest', `The trailer ${header} is missing.`)
  checkValue(promised.algorithm, value)
  if (value !== actual)
    throw new S3Error(
      'BadDigest',
      `The ${promised.algorithm} you specified did not match the calculated checksum.`,
    )
}
