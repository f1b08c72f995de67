import { z } from 'zod'
import { invokeFunction } from '../../lib/cloud/lambda.ts'
import { TransientError } from '../../lib/errors/errors.ts'
import {
  type DraftRequest,
  type PreviewRequest,
  type PreviewResult,
  previewResult,
} from '../../lib/extractor/run/preview-schemas.ts'

/** Previews a configuration, or what it makes of a text, in the function that may open secrets. Error: `storage.unavailable`. */
export type PreviewExtraction = (request: PreviewRequest | DraftRequest) => Promise<PreviewResult>

/** Lambda Developer Guide, "Error handling": what a function that failed leaves as its answer. */
const failure = z.object({ errorType: z.string().optional(), errorMessage: z.string().default('') })

export const createPreviewExtraction =
  (functionName: string): PreviewExtraction =>
  async request => {
    const invoked = await invokeFunction(functionName, request)
    if ('answer' in invoked) return previewResult.parse(invoked.answer)
    const { errorType, errorMessage } = failure.parse(invoked.failure)
    if (errorType === 'TransientError')
      throw new TransientError('storage.unavailable', `The preview cannot be made right now: ${errorMessage}`)
    throw new Error(`The preview failed: ${errorMessage}`)
  }
