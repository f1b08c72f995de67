import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { UserError } from '../../lib/errors/errors.ts'
import { componentConfig, usesRefreshToken } from '../../lib/extractor/config/component-config.ts'
import { createMasker } from '../../lib/extractor/requests/masking/masker.ts'
import { secretsOf } from '../../lib/extractor/requests/masking/secrets-of.ts'
import { previewExtraction } from '../../lib/extractor/run/preview-extraction.ts'
import type {
  DraftRequest,
  DraftResult,
  PreviewLimits,
  PreviewRequest,
  PreviewResult,
} from '../../lib/extractor/run/preview-schemas.ts'
import { isObject } from '../../lib/json/json-value.ts'
import { detectConfiguration } from '../../lib/onboarding/detect-configuration.ts'
import { remarksOf } from '../../lib/onboarding/draft.ts'
import { readCurl } from '../../lib/onboarding/read-curl.ts'
import type { TrialBounds } from '../../lib/onboarding/trial.ts'

/** Of the requests that look at an API. Previews have their own, and both together are within the time of the function. */
const LOOKING_SECONDS = 8

interface PreviewServices {
  /** Opens sealed secrets. Error: `secrets.notOpened`. */
  openSecrets: (
    value: unknown,
    reader: { componentId: string; configId: string; adoptedSecrets: readonly string[] },
  ) => Promise<unknown>
  allowedHosts: readonly string[]
  /** A preview has a folder of its own in here, and removes it. */
  scratchFolder: string
  limits?: PreviewLimits
}

/** Previews what was asked for: a configuration, or what it makes of a text. */
export const previewAsked = (request: PreviewRequest | DraftRequest, services: PreviewServices) =>
  'text' in request ? previewDraft(request, services) : previewStored(request, services)

/** Previews a stored configuration. Its secrets are open only here and only in memory. */
export const previewStored = (request: PreviewRequest, services: PreviewServices): Promise<PreviewResult> =>
  inFolder(services, folder => preview(request, services, folder))

/** Makes a configuration of a text, and previews it. */
const previewDraft = (request: DraftRequest, services: PreviewServices): Promise<PreviewResult> =>
  inFolder(services, async folder => {
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

const inFolder = async (
  { scratchFolder }: Pick<PreviewServices, 'scratchFolder'>,
  work: (folder: string) => Promise<PreviewResult>,
): Promise<PreviewResult> => {
  await mkdir(scratchFolder, { recursive: true })
  const folder = await mkdtemp(join(scratchFolder, 'preview-'))
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
  isObject(parameters) && isObject(parameters['iterations']) && 'table' in parameters['iterations']

const nothing = { stoppedBy: null, tables: [], exchanges: [], jobs: [], log: [] }

const failed = (error: unknown): PreviewResult => {
  if (!(error instanceof UserError)) throw error
  return { ...nothing, error: { code: error.code, message: error.message } }
}

interface Place {
  /** An empty folder, removed by whoever made it. */
  folder: string
  bounds: TrialBounds
}

/**
 * Makes a configuration of a curl command, for which two requests are sent at most. Its secrets are in clear text.
 *
 * @throws UserError `extractor.draft`
 */
const draftConfiguration = async (
  { text, bucket }: Pick<DraftRequest, 'text' | 'bucket'>,
  place: Place,
): Promise<DraftResult> => {
  const { draft } = await detectConfiguration({ ...readCurl(text), bucket, ...place })
  const masker = createMasker(secretsOf(draft).values())
  const remarks = remarksOf(draft.parameters).map(([path, why]) => ({ path, why: masker.mask(why) }))
  return { remarks, configuration: withoutRemarks({ ...draft }) as Record<string, unknown> } // an object stays one
}

/** Remarks are shown beside the configuration, not stored in it. */
const withoutRemarks = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withoutRemarks)
  if (!isObject(value)) return value
  const kept = Object.entries(value).filter(([key]) => key !== '__why')
  return Object.fromEntries(kept.map(([key, inner]) => [key, withoutRemarks(inner)]))
}
