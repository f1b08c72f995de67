import type { CompleteMultipartUploadCommandInput, S3Client } from '@aws-sdk/client-s3'

/** Makes a client's service one that lists parts without their checksums. `completions`: what it was asked to complete. */
export const listWithoutChecksums = (
  s3: S3Client,
  completions: CompleteMultipartUploadCommandInput[] = [],
): S3Client => {
  s3.middlewareStack.add(
    (next, { commandName }) =>
      async args => {
        if (commandName === 'CompleteMultipartUploadCommand' && 'MultipartUpload' in args.input)
          completions.push(args.input)
        const reply = await next(args)
        if (commandName === 'ListPartsCommand' && 'Parts' in reply.output)
          for (const part of reply.output.Parts ?? []) delete part.ChecksumCRC32
        return reply
      },
    { step: 'initialize' },
  )
  return s3
}
