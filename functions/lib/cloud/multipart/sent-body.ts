import { Readable } from 'node:stream'
import type { PutObjectCommand, UploadPartCommand } from '@aws-sdk/client-s3'

/**
 * Signs the request without the SHA-256 of its body, as the SDK does with streams. The CRC-32 that it sends protects
 * the body, in an eighth of the processor time (S3 API Reference, "UNSIGNED-PAYLOAD").
 */
export const withUnsignedBody = <Command extends PutObjectCommand | UploadPartCommand>(
  command: Command,
): Command => {
  const { middlewareStack } = command as PutObjectCommand // What is added suits the stack of either.
  middlewareStack.add(
    next => async args => {
      // In this step of the SDK the request is an HTTP request.
      const { headers } = args.request as { headers: Record<string, string> }
      headers['x-amz-content-sha256'] = 'UNSIGNED-PAYLOAD'
      return next(args)
    },
    { step: 'build', name: 'unsignedBody' },
  )
  return command
}

/**
 * Aborts the request when its body cannot be read to the end. The SDK makes another stream of a body and listens to no
 * error of that: the request would wait for ever, and the error end the process.
 */
export const whenBodyFails = (request: PutObjectCommand | UploadPartCommand): AbortSignal => {
  const failed = new AbortController()
  const { middlewareStack } = request as PutObjectCommand // What is added suits the stack of either.
  middlewareStack.add(
    next => args => {
      const { body } = args.request as { body?: unknown } // In this step of the SDK an HTTP request.
      if (body instanceof Readable) body.once('error', () => failed.abort())
      return next(args)
    },
    { step: 'deserialize', name: 'abortWhenBodyFails' },
  )
  return failed.signal
}
