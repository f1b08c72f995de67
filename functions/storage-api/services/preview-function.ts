import type { LambdaClient } from '@aws-sdk/client-lambda'
import { z } from 'zod'
import { TransientError } from '../../lib/errors/errors.ts'
import {
  type DraftRequest,
  type PreviewRequest,
  type PreviewResult,
  previewResult,
} from '../../lib/extractor/run/preview/preview-schemas.ts'

/** Previews a configuration, or what it makes of a text, in the function that may open secrets. Error: `storage.unavailable`. */
export type PreviewExtraction = (request: PreviewRequest | DraftRequest) => Promise<PreviewResult>

/** Lambda Developer Guide, "Error handling": what a function that failed leaves as its answer. */
const failure = z.object({ errorType: z.string().optional(), errorMessage: z.string().default('') })

/** The client is loaded with the first preview: most containers never make one. */
export const createPreviewExtraction = (functionName: string): PreviewExtraction => {
  let client: LambdaClient | undefined
  return async request => {
    const { InvokeCommand, LambdaClient } = await import('@aws-sdk/client-lambda')
    client ??= new LambdaClient({})
    const { FunctionError, Payload } = await client.send(
      new InvokeCommand({ FunctionName: functionName, Payload: Buffer.from(JSON.stringify(request)) }),
    )
    const answer: unknown = JSON.parse(Buffer.from(Payload ?? []).toString('utf8') || 'null')
    if (FunctionError === undefined) return previewResult.parse(answer)
    const { errorType, errorMessage } = failure.parse(answer)
    if (errorType === 'TransientError')
      throw new TransientError('storage.unavailable', `The preview cannot be made right now: ${errorMessage}`)
    throw new Error(`The preview failed: ${errorMessage}`)
  }
}
