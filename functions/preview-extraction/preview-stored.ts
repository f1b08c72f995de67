import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { UserError } from '../lib/errors/errors.ts'
import { componentConfig } from '../lib/extractor/config/component-config.ts'
import { usesRefreshToken } from '../lib/extractor/config/uses-refresh-token.ts'
import { previewExtraction } from '../lib/extractor/run/preview/preview-extraction.ts'
import type { PreviewLimits } from '../lib/extractor/run/preview/preview-limits.ts'
import type {
  DraftRequest,
  PreviewRequest,
  PreviewResult,
} from '../lib/extractor/run/preview/preview-schemas.ts'
import { draftConfiguration } from './draft-configuration.ts'
import { previewScratch } from './preview-scratch.ts'

/** Of the requests that look at an API. Previews have their own, and both together are within the time of the function. */
const LOOKING_SECONDS = 8

interface PreviewServices {
  /** Opens sealed secrets. Error: `secrets.notOpened`. */
  openSecrets: (
    value: unknown,
    reader: { componentId: string; configId: string; adoptedSecrets: readonly string[] },
  ) => Promise<unknown>
  allowedHosts: readonly string[]
  limits?: PreviewLimits
}

/** Previews what was asked for: a configuration, or what it makes of a text. */
export const previewAsked = (request: PreviewRequest | DraftRequest, services: PreviewServices) =>
  'text' in request ? previewDraft(request, services) : previewStored(request, services)

/** Previews a stored configuration. Its secrets are open only here and only in memory. */
export const previewStored = (request: PreviewRequest, services: PreviewServices): Promise<PreviewResult> =>
  inFolder(folder => preview(request, services, folder))

/** Makes a configuration of a text, and previews it. */
const previewDraft = (request: DraftRequest, services: PreviewServices): Promise<PreviewResult> =>
  inFolder(async folder => {
    const { imageParameters } = request
    const draft = await draftConfiguration(request, {
      folder,
      bounds: {
        guard: true,
        allowedPrivateHosts: services.allowedHosts,
        imageParameters,
        signal: AbortSignal.timeout(LOOKING_SECONDS * 1000),
      },
    })
    const stored = { ...request, configuration: draft.configuration, state: {}, adoptedSecrets: [] }
    const previewed = await preview(stored, services, folder).catch(failed)
    return { ...previewed, draft }
  })

const inFolder = async (work: (folder: string) => Promise<PreviewResult>): Promise<PreviewResult> => {
  await mkdir(previewScratch, { recursive: true })
  const folder = await mkdtemp(join(previewScratch, 'preview-'))
  try {
    return await work(folder)
  } catch (error) {
    return failed(error)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

const preview = async (
  { configuration, state, imageParameters, adoptedSecrets, componentId, configId, rows }: PreviewRequest,
  { openSecrets, allowedHosts, limits }: PreviewServices,
  folder: string,
): Promise<PreviewResult> => {
  const reader = { componentId, configId, adoptedSecrets }
  refuseWhatItCannot(configuration)
  return await previewExtraction({
    config: await openSecrets(componentConfig(configuration, imageParameters), reader),
    state: await openSecrets(state, reader),
    allowedPrivateHosts: allowedHosts,
    rows,
    folder,
    ...(limits && { limits }),
  })
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

const nothing = { stoppedBy: null, tables: [], exchanges: [], jobs: [], log: [] }

const failed = (error: unknown): PreviewResult => {
  if (!(error instanceof UserError)) throw error
  return { ...nothing, error: { code: error.code, message: error.message } }
}
