import { type S3Client, S3ServiceException } from '@aws-sdk/client-s3'

/** A client that S3 answers "another conditional write is under way" so many times, each after what `meanwhile` does. */
export const conflictingWrites = (
  client: S3Client,
  { times, meanwhile = async () => {} }: { times: number; meanwhile?: () => Promise<unknown> },
): S3Client => {
  let left = times
  client.middlewareStack.add(
    (next, { commandName }) =>
      async args => {
        if (commandName !== 'PutObjectCommand' || left-- <= 0) return next(args)
        await meanwhile()
        throw new S3ServiceException({
          name: 'ConditionalRequestConflict',
          $fault: 'client',
          $metadata: { httpStatusCode: 409 },
          message: 'A conflicting operation occurred during the upload',
        })
      },
    { step: 'initialize' },
  )
  return client
}
