import { once } from 'node:events'
import { Busboy, type BusboyFileStream } from '@fastify/busboy'
import { invalidArgument, S3Error } from '../errors.ts'

/** A form up to its file, which is still to be read. What comes after the file is ignored, as in S3. */
export interface PostForm {
  /** Values by lower-case name; of a repeated field the last. */
  fields: ReadonlyMap<string, string>
  /** '' when the client sent none. */
  filename: string
  /** The file. Fails with MalformedPOSTRequest when the form does not come to its end. */
  bytes: () => AsyncIterable<Buffer>
  /** Reads the rest and forgets it: a client reads the answer only after it has sent everything. */
  discard: () => void
}

// S3 API Reference, "POST Object": everything before the file.
const maxFieldBytes = 20 * 1024
const maxFields = 200

/**
 * Reads a multipart/form-data body until its file begins.
 *
 * Throws MalformedPOSTRequest, MaxPostPreDataLengthExceededError, InvalidArgument when there is no file.
 */
export const readForm = async (pieces: AsyncIterable<Buffer>, contentType: string): Promise<PostForm> => {
  const busboy = openBusboy(contentType)
  const opened = Promise.withResolvers<PostForm>()
  const ended = Promise.withResolvers<void>()
  ended.promise.catch(() => undefined) // Nobody waits for it when there is no file.
  let file: BusboyFileStream | undefined
  let hasFailed = false
  const fail = (error: Error): void => {
    hasFailed = true
    opened.reject(error)
    ended.reject(error)
    // It would never end by itself, and its reader would wait.
    file?.destroy(error)
  }

  const fields = new Map<string, string>()
  let fieldBytes = 0
  busboy.on('field', (name, value, _isNameCut, isValueCut) => {
    if (file !== undefined) return
    fieldBytes += Buffer.byteLength(name) + Buffer.byteLength(value)
    if (isValueCut || fieldBytes > maxFieldBytes) fail(new S3Error('MaxPostPreDataLengthExceededError'))
    fields.set(name.toLowerCase(), value)
  })
  busboy.on('fieldsLimit', () => fail(new S3Error('MaxPostPreDataLengthExceededError')))
  busboy.on('file', (_name, stream, filename) => {
    stream.on('error', () => fail(new S3Error('MalformedPOSTRequest')))
    if (hasFailed || file !== undefined) {
      stream.resume()
      fail(oneFile('2'))
      return
    }
    file = stream
    opened.resolve({
      fields,
      filename: filename ?? '',
      bytes: async function* () {
        yield* stream.iterator({ destroyOnReturn: false })
        await ended.promise
      },
      discard: () => void stream.resume(),
    })
  })
  busboy.on('error', () => fail(new S3Error('MalformedPOSTRequest')))
  busboy.on('finish', () => {
    ended.resolve()
    opened.reject(oneFile('0'))
  })

  const feed = async (): Promise<void> => {
    for await (const piece of pieces) {
      // After a failure the rest is only read.
      if (hasFailed || busboy.write(piece)) continue
      await Promise.race([once(busboy, 'drain'), ended.promise])
    }
    if (!hasFailed) busboy.end()
  }
  feed().catch(fail)
  return opened.promise
}

const openBusboy = (contentType: string) => {
  try {
    return new Busboy({
      headers: { 'content-type': contentType },
      limits: { fieldSize: maxFieldBytes, fields: maxFields, headerPairs: 20 },
      isPartAFile: name => name?.toLowerCase() === 'file',
    })
  } catch {
    throw new S3Error('MalformedPOSTRequest')
  }
}

const oneFile = (count: string): S3Error =>
  invalidArgument('POST requires exactly one file upload per request.', 'file', count)
