import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { z } from 'zod'
import { lambdaHandler } from '../../lib/cloud/lambda-handler.ts'
import { readEnv } from '../../lib/env.ts'
import { draftRequest, previewRequest } from '../../lib/extractor/run/preview-schemas.ts'

const scratchFolder = join(tmpdir(), 'millrace-previews')

/** A configuration, or a text to make one of -> the first rows that it would extract, and what the API was asked and answered. */
export const handler = lambdaHandler({
  service: 'preview-extraction',
  event: z.union([draftRequest, previewRequest]),
  keys: ({ componentId, configId }) => ({ componentId, configId }),
  scratchFolder,
  open: async () => {
    const { open, variables } = await import('./work.ts')
    return open(readEnv(variables, process.env), { scratchFolder })
  },
  outcome: ({ exchanges, stoppedBy, error }) => ({
    requests: exchanges.length,
    stoppedBy,
    ...(error && { outcome: 'error', code: error.code }),
  }),
})
