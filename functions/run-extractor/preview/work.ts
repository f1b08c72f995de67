import { z } from 'zod'
import type { Environment } from '../../lib/env.ts'
import type { DraftRequest, PreviewRequest } from '../../lib/extractor/run/preview-schemas.ts'
import { createOpener } from '../../lib/storage/secrets/create-opener.ts'
import { previewAsked } from './preview-stored.ts'

/** The variables that the function's construct must set. */
export const variables = [
  'PROJECT_ID',
  /** KMS key that the secrets of configurations are sealed under. */
  'SECRETS_KEY_ARN',
  /** JSON list of private hosts that extractions may reach. */
  'ALLOWED_HOSTS',
] as const
export type PreviewExtractionEnv = (typeof variables)[number]

export const open = (
  env: Environment<PreviewExtractionEnv>,
  { scratchFolder }: { scratchFolder: string },
) => {
  const allowedHosts = z.array(z.string()).parse(JSON.parse(env.ALLOWED_HOSTS))
  const projectId = z.coerce.number().int().parse(env.PROJECT_ID)
  const openSecrets = createOpener({ keyArn: env.SECRETS_KEY_ARN })

  return (request: PreviewRequest | DraftRequest) =>
    previewAsked(request, {
      openSecrets: (value, reader) => openSecrets(value, { ...reader, projectId }),
      allowedHosts,
      scratchFolder,
    })
}
