import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { UserError } from '../lib/errors/errors.ts'
import { componentConfig } from '../lib/extractor/config/component-config.ts'
import { usesRefreshToken } from '../lib/extractor/config/uses-refresh-token.ts'
import { previewExtraction } from '../lib/extractor/preview/preview-extraction.ts'
import type { PreviewLimits } from '../lib/extractor/preview/preview-limits.ts'
import type { PreviewRequest, PreviewResult } from '../lib/extractor/preview/preview-schemas.ts'
import { previewScratch } from './preview-scratch.ts'

interface Services {
  /** Opens sealed secrets. Error: `secrets.notOpened`. */
  openSecrets: (
    value: unknown,
    reader: { componentId: string; configId: string; adoptedSecrets: readonly string[] },
  ) => Promise<unknown>
  allowedHosts: readonly string[]
  limits?: PreviewLimits
}

/** Previews a stored configuration. Its secrets are open only here and only in memory. */
export const previewStored = async (
  { configuration, state, imageParameters, adoptedSecrets, componentId, configId, rows }: PreviewRequest,
  { openSecrets, allowedHosts, limits }: Services,
): Promise<PreviewResult> => {
  const reader = { componentId, configId, adoptedSecrets }
  await mkdir(previewScratch, { recursive: true })
  const folder = await mkdtemp(join(previewScratch, 'preview-'))
  try {
    refuseWhatItCannot(configuration)
    return await previewExtraction({
      config: await openSecrets(componentConfig(configuration, imageParameters), reader),
      state: await openSecrets(state, reader),
      allowedPrivateHosts: allowedHosts,
      rows,
      folder,
      ...(limits && { limits }),
    })
  } catch (error) {
    if (error instanceof UserError) return failed(error)
    throw error
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Error: `extractor.preview.refused` */
const refuseWhatItCannot = (configuration: Record<string, unknown>): void => {
  const refuse = (why: string) => new UserError('extractor.preview.refused', `${why} Run the configuration.`)
  if (readsTable(configuration))
    throw refuse('A preview reads no tables, so it cannot run the iterations of one.')
  // The server may end a refresh token with its use, and only a run keeps the next one.
  if (usesRefreshToken(configuration))
    throw refuse('A preview stores nothing, so it must not use up a refresh token.')
}

/** `parameters.iterations` is a list, or names an input table. */
const readsTable = ({ parameters }: Record<string, unknown>): boolean =>
  typeof parameters === 'object' &&
  parameters !== null &&
  'iterations' in parameters &&
  typeof parameters.iterations === 'object' &&
  parameters.iterations !== null &&
  'table' in parameters.iterations

const failed = ({ code, message }: UserError): PreviewResult => ({
  stoppedBy: null,
  error: { code, message },
  tables: [],
  exchanges: [],
  jobs: [],
  log: [],
})
