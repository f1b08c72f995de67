import { S3ServiceException } from '@aws-sdk/client-s3'

/** Status and code with which a call is refused, or `done`. */
export const refusal = async (call: Promise<unknown>): Promise<'done' | [number | undefined, string]> => {
  try {
    await call
    return 'done'
  } catch (error) {
    if (error instanceof S3ServiceException) return [error.$metadata.httpStatusCode, error.name]
    throw error
  }
}
