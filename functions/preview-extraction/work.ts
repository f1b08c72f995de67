import { z } from 'zod'
import { readEnv } from '../lib/aws/env.ts'
import type { DraftRequest, PreviewRequest } from '../lib/extractor/run/preview/preview-schemas.ts'
import { createOpener } from '../lib/storage/secrets/create-opener.ts'
import { previewAsked } from './preview-stored.ts'

const env = readEnv([
  'PROJECT_ID',
  /** KMS key that the secrets of configurations are sealed under. */
  'SECRETS_KEY_ARN',
  /** JSON list of private hosts that extractions may reach. */
  'ALLOWED_HOSTS',
])
/** The variables that the function's construct must set. */
export type PreviewExtractionEnv = keyof typeof env

const allowedHosts = z.array(z.string()).parse(JSON.parse(env.ALLOWED_HOSTS))
const projectId = z.coerce.number().int().parse(env.PROJECT_ID)
const open = createOpener({ keyArn: env.SECRETS_KEY_ARN })

export const run = (request: PreviewRequest | DraftRequest) =>
  previewAsked(request, {
    openSecrets: (value, reader) => open(value, { ...reader, projectId }),
    allowedHosts,
  })
