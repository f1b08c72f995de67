import { Readable } from 'node:stream'
import type { PutObjectCommand, UploadPartCommand } from '@aws-sdk/client-s3'

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
