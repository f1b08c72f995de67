import { z } from 'zod'
import { lambdaHandler } from '../lib/aws/lambda-handler.ts'
import { draftRequest, previewRequest } from '../lib/extractor/run/preview/preview-schemas.ts'
import { previewScratch } from './preview-scratch.ts'

/** A configuration, or a text to make one of -> the first rows that it would extract, and what the API was asked and answered. */
export const handler = lambdaHandler({
  service: 'preview-extraction',
  event: z.union([draftRequest, previewRequest]),
  keys: ({ componentId, configId }) => ({ componentId, configId }),
  scratchFolder: previewScratch,
  run: async request => (await import('./work.ts')).run(request),
  outcome: ({ exchanges, stoppedBy, error }) => ({
    requests: exchanges.length,
    stoppedBy,
    ...(error && { outcome: 'error', code: error.code }),
  }),
})
