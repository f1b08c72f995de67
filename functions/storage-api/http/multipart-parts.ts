import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ReadableStream as NodeReadableStream } from 'node:stream/web'
import { Busboy, type BusboyFileStream, type BusboyHeaders } from '@fastify/busboy'
import { UserError } from '../../lib/errors/errors.ts'

interface PartHandlers {
  /** A part of this name is a file even without a file name. */
  fileField?: string
  /** May throw to stop reading. */
  onField: (name: string, value: string) => void
  /** Must read the stream to its end or `resume()` it. Reading ends only when its promise has settled. */
  onFile: (name: string, stream: BusboyFileStream, info: { filename: string | undefined }) => Promise<void>
}

const MAX_FIELD_BYTES = 1024 * 1024
const MAX_FIELDS = 20_000

/**
 * Streams a multipart/form-data body part by part, with bounded memory whatever its size.
 *
 * Rejects with a `UserError` when the body is no well-formed multipart form, and with what a handler threw.
 */
export const forEachPart = async (
  request: Request,
  { fileField, onField, onFile }: PartHandlers,
): Promise<void> => {
  const contentType = request.headers.get('content-type') ?? ''
  const busboy = createBusboy(contentType, fileField)
  const stopped = new AbortController()
  const streams: BusboyFileStream[] = []
  const files: Promise<void>[] = []
  // The first failure of a handler matters more than the broken pipe that it causes.
  let failure: { error: unknown } | undefined
  const fail = (error: unknown) => {
    failure ??= { error }
    stopped.abort()
  }

  busboy.on('field', (name, value, _nameTruncated, valueTruncated) => {
    try {
      if (name === undefined) throw malformed()
      if (valueTruncated) throw new UserError('storage.requestTooLarge', `The field "${name}" is too large.`)
      onField(name, value)
    } catch (error) {
      fail(error)
    }
  })
  busboy.on('fieldsLimit', () =>
    fail(new UserError('storage.validation', `Invalid request: more than ${MAX_FIELDS} fields.`)),
  )
  busboy.on('file', (name, stream, filename) => {
    // A body that ends inside a file causes an error of the stream. Unhandled, it would end the process.
    stream.on('error', () => fail(malformed()))
    streams.push(stream)
    files.push(onFile(name, stream, { filename }).catch(fail))
  })

  // The types of the web stream in node:stream/web and in the global scope differ by name only.
  const body = Readable.fromWeb((request.body ?? new Blob([]).stream()) as NodeReadableStream<Uint8Array>)
  try {
    await pipeline(body, busboy, { signal: stopped.signal })
  } catch (cause) {
    failure ??= { error: malformed(cause) }
  }
  // A stream of a broken body never ends by itself. Its reader must fail, and clean up, before we answer.
  if (failure) for (const stream of streams) stream.destroy(new Error('The request body broke off'))
  await Promise.all(files)
  if (failure) throw failure.error
}

const createBusboy = (contentType: string, fileField: string | undefined) => {
  const headers: BusboyHeaders = { 'content-type': contentType }
  try {
    return new Busboy({
      headers,
      limits: { fieldSize: MAX_FIELD_BYTES, fields: MAX_FIELDS, parts: MAX_FIELDS + 100, headerPairs: 100 },
      isPartAFile: (name, type, filename) =>
        filename !== undefined ||
        type === 'application/octet-stream' ||
        (name !== undefined && name === fileField),
    })
  } catch (cause) {
    throw malformed(cause)
  }
}

const malformed = (cause?: unknown) =>
  new UserError(
    'storage.validation',
    'Invalid request: the body is not a complete multipart/form-data form.',
    { cause },
  )
