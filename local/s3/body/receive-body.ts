import { createHash } from 'node:crypto'
import { verifyChunks } from '../auth/chunk-signatures.ts'
import { invalidArgument, S3Error } from '../errors.ts'
import type { S3Request } from '../http/s3-request.ts'
import { type DataFiles, LARGEST_SMALL_BYTES, newFileName } from '../storage/data-files.ts'
import type { NewContent, NewFile } from '../storage/stored-object.ts'
import {
  type ChecksumAlgorithm,
  checkPromise,
  type PromisedChecksum,
  readPromisedChecksum,
  startDigests,
} from './checksums.ts'
import { ChunkedDecoder } from './chunked-decoder.ts'
import { FileTarget } from './file-target.ts'

// S3 User Guide, "Uploading objects": a single PUT and a single part carry at most 5 GiB.
export const mostBodyBytes = 5 * 1024 ** 3
// Enough to complete 10,000 parts with all checksums, and to delete 1,000 long keys.
const maxTextBytes = 8 * 1024 * 1024

/**
 * Streams the body of a PUT to a new file, a small one to memory, and verifies it. About 1 MiB in memory.
 *
 * `wanted` is a checksum to compute even when the client sends none. A file in the data folder is synced when this
 * resolves; on any failure it is gone.
 */
export const receiveBody = async (
  request: S3Request,
  files: DataFiles,
  wanted?: ChecksumAlgorithm,
): Promise<NewContent> => {
  const size = request.bodyForm.size ?? readLength(request)
  const expected = { size, promised: readPromise(request), wanted }
  if (size.most > LARGEST_SMALL_BYTES) return receiveFile(request, files, expected)
  const { content, ...taken } = await takeSmall(request, expected)
  return contentOf(taken, { name: newFileName(), content })
}

const receiveFile = async (request: S3Request, files: DataFiles, expected: Expected): Promise<NewContent> => {
  const { file, handle } = await files.create()
  const target = new FileTarget(files, file, handle)
  const take = async () => {
    const taken = await takeBody(request, bytes => target.write(bytes), expected)
    return contentOf(taken, await target.finish())
  }
  try {
    const content = await take().finally(() => target.close())
    // A form may have an empty file.
    if (content.size === 0) await target.discard()
    return content
  } catch (error) {
    await target.discard()
    throw error
  }
}

const contentOf = (taken: Taken, file: NewFile): NewContent =>
  taken.size > 0
    ? { ...taken, slices: [{ file: file.name, fileStart: 0, size: taken.size }], newFiles: [file] }
    : { ...taken, slices: [], newFiles: [] }

/**
 * Reads a small body (XML) whole and verifies it.
 *
 * `describesObject`: its headers of checksums are those of the object that it completes; the operation checks them.
 */
export const receiveText = async (request: S3Request, { describesObject = false } = {}): Promise<string> => {
  const promised = describesObject ? undefined : readPromise(request)
  const { content } = await takeSmall(request, { size: { least: 0, most: maxTextBytes }, promised })
  return content.toString()
}

const takeSmall = async (request: S3Request, expected: Expected): Promise<Taken & { content: Buffer }> => {
  const pieces: Buffer[] = []
  const taken = await takeBody(request, bytes => void pieces.push(bytes), expected)
  return { ...taken, content: Buffer.concat(pieces) }
}

interface Expected {
  size: ExpectedSize
  promised: PromisedChecksum | undefined
  wanted?: ChecksumAlgorithm | undefined
}

type Taken = Pick<NewContent, 'size' | 'md5' | 'checksums'>

/**
 * Writes the body and verifies everything that the client said about it: length, SHA-256, MD5, checksum,
 * chunk signatures. One pass.
 */
const takeBody = async (
  request: S3Request,
  write: (bytes: Buffer) => Promise<void> | undefined,
  expected: Expected,
): Promise<Taken> => {
  const { sha256: expectedSha256, chunked } = request.bodyForm
  const expectedMd5 = readMd5(request.headers['content-md5'])
  const digests = startDigests(expected.promised?.algorithm ?? expected.wanted)
  const sha256 = expectedSha256 === undefined ? undefined : createHash('sha256')
  const decoder =
    chunked &&
    new ChunkedDecoder(chunked.isSigned ? verifyChunks(request.caller, chunked.hasTrailer) : undefined)
  let size = 0
  for await (const piece of request.rawBody())
    for (const bytes of decoder === undefined ? [piece] : decoder.decode(piece)) {
      digests.update(bytes)
      sha256?.update(bytes)
      size += bytes.length
      const waiting = write(bytes)
      if (waiting !== undefined) await waiting
      if (size > expected.size.most) throw wrongSize(expected.size, size)
    }
  decoder?.finish()
  if (size < expected.size.least) throw wrongSize(expected.size, size)
  if (sha256?.digest('hex') !== expectedSha256) throw new S3Error('XAmzContentSHA256Mismatch')
  const { md5, checksums } = await digests.end()
  if ((expectedMd5 ?? md5) !== md5) throw new S3Error('BadDigest')
  if (expected.promised !== undefined) checkPromise(expected.promised, checksums, decoder?.trailers)
  return { size, md5, checksums }
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
  return size > most ? tooLarge(size, most) : tooSmall(size, least)
}

const tooLarge = (size: number, most: number): S3Error =>
  new S3Error('EntityTooLarge', undefined, { ProposedSize: String(size), MaxSizeAllowed: String(most) })

export const tooSmall = (size: number, least: number, details = {}): S3Error =>
  new S3Error('EntityTooSmall', undefined, {
    ProposedSize: String(size),
    MinSizeAllowed: String(least),
    ...details,
  })

const readPromise = ({ headers, bodyForm }: S3Request): PromisedChecksum | undefined => {
  const promised = readPromisedChecksum(headers)
  if (promised !== undefined && promised.value === undefined && bodyForm.chunked?.hasTrailer !== true)
    throw new S3Error('InvalidRequest', 'The x-amz-trailer header needs a body with a trailer.')
  return promised
}

const readLength = ({ headers, bodyForm }: S3Request): ExpectedSize => {
  const name = bodyForm.chunked === undefined ? 'content-length' : 'x-amz-decoded-content-length'
  const length = headers[name]
  if (length === undefined) throw new S3Error('MissingContentLength')
  if (!/^\d{1,15}$/.test(length)) throw invalidArgument(`${name} is not a number.`, name, length)
  const size = Number(length)
  if (size > mostBodyBytes) throw tooLarge(size, mostBodyBytes)
  return { least: size, most: size, isPromised: true }
}

/** In hex. */
const readMd5 = (header: string | undefined): string | undefined => {
  if (header === undefined) return undefined
  const md5 = Buffer.from(header, 'base64')
  if (md5.length !== 16 || md5.toString('base64') !== header) throw new S3Error('InvalidDigest')
  return md5.toString('hex')
}
