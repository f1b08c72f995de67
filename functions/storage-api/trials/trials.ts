import { z } from 'zod'
import { UserError } from '../../lib/errors/errors.ts'
import { draftBody, PREVIEW_LIMITS, previewBody } from '../../lib/extractor/run/preview-schemas.ts'
import { parseJson } from '../../lib/json/parse-json.ts'
import { emptyObject, rowsInOrder } from '../../lib/storage/configurations/configuration.ts'
import { mergeConfiguration } from '../../lib/storage/configurations/merge-configuration.ts'
import { jsonObject, parseJsonObject } from '../configurations/json-field.ts'
import { isRunnable } from '../configurations/judge-change.ts'
import { configurationRefusal, ownerAt } from '../configurations/sealed-settings.ts'
import {
  type ConfigurationRequest,
  entityId,
  findComponent,
  findConfiguration,
} from '../find/find-configuration.ts'
import { inPlace } from '../http/at-once.ts'
import { integer, text, unlessBlank } from '../http/fields.ts'
import { recordEvent } from '../http/record-event.ts'
import { routesOf } from '../http/route.ts'
import type { Services } from '../services/services.ts'
import { refuseSecretsOfOthers } from './refuse-secrets-of-others.ts'

export const routes = routesOf('configurations')

type JsonObject = Record<string, unknown>

/** What runs as one: a row merged with its root, or a configuration without rows. Secrets are sealed. */
interface TrialUnit {
  rowId: string | null
  name: string
  configuration: JsonObject
  state: JsonObject
}

/**
 * What is tried of a stored configuration: the row that is named, or its first enabled row, or the configuration itself when it has
 * no rows.
 * Errors: 404 `notFound`; 400 `storage.components.notRunnable` for a component that does not run here.
 */
const findTrialUnit = async (
  request: Pick<ConfigurationRequest, 'params' | 'branchId'>,
  rowId: string | undefined,
  services: Services,
) => {
  const { imageParameters } = findRunnable(request.params.componentId, services)
  const configuration = await findConfiguration(request, services)
  const { content } = configuration.current
  const root = objectOf(content.configuration)
  const row = rowsInOrder(content).find(({ id, isDisabled }) =>
    rowId === undefined ? !isDisabled : id === rowId,
  )
  if (row === undefined && rowId !== undefined)
    throw new UserError('notFound', `The configuration has no row ${rowId.slice(0, 100)}`)
  if (row === undefined && content.rows.length > 0)
    throw new UserError('notFound', 'All rows of the configuration are disabled. Name the one to preview.')
  const state = configuration.rows.find(({ id }) => id === row?.id)?.state ?? emptyObject
  const unit: TrialUnit =
    row === undefined
      ? { rowId: null, name: content.name, configuration: root, state: objectOf(configuration.state) }
      : {
          rowId: row.id,
          name: row.name,
          configuration: mergeConfiguration(root, objectOf(row.configuration)),
          state: objectOf(state),
        }
  /** The tokens that stored it, a secret in it, or how it is used. */
  const writers = [...content.authors, ...(row?.authors ?? [])].map(({ id }) => id)
  return { configuration, unit, writers, imageParameters }
}

/** The component, with what the operator set for it. Error: 400 `storage.components.notRunnable` for one that does not run here. */
const findRunnable = (componentId: string, services: Services) => {
  const component = findComponent(services, componentId)
  if (!isRunnable(component))
    throw new UserError(
      'storage.components.notRunnable',
      `The component ${component.id} cannot be run here, so it cannot be tried either.`,
    )
  return { imageParameters: imageParametersOf(component.data) }
}

/** What the operator set for the component: its allowed hosts, for one. */
const imageParametersOf = ({ image_parameters: given }: JsonObject): JsonObject =>
  typeof given === 'object' && given !== null && !Array.isArray(given) ? { ...given } : {}

// Only objects are stored.
const objectOf = (text: string): JsonObject => parseJson(text) as JsonObject // only objects are stored

const MAX_ROWS = 100

const DEFAULT_ROWS = 10

/** Of each job. */
const previewedRows = integer({ min: 1, max: MAX_ROWS }).default(DEFAULT_ROWS)

/**
 * Extracts a few rows of each job of a stored configuration, and says what the API was asked and what it answered. Stores
 * nothing. A function of its own does it, which may open secrets; this one may not.
 */
routes.post('/v2/storage/components/{componentId}/configs/{configId}/preview', {
  summary: 'Preview of a configuration',
  body: z.object({
    rowId: unlessBlank(text({ max: 100 })),
    rows: previewedRows,
  }),
  replies: {
    200: `Tables and exchanges; at most ${PREVIEW_LIMITS.requests} requests in ${PREVIEW_LIMITS.seconds} seconds`,
    400: '`storage.components.notRunnable`; `secrets.notOpened`: another token stored a secret of it',
    429: '`storage.tooManyAtOnce`: two previews of the token are under way',
    404: 'There is no such configuration or row',
    503: 'The preview cannot be made right now',
  },
  reply: previewBody,
  handle: async (request, services) => {
    const { componentId, configId } = request.params
    const { rowId, rows } = request.body
    const { unit, writers, ...found } = await findTrialUnit(request, rowId, services)
    const { caller } = request
    await refuseSecretsOfOthers({ value: [unit.configuration, unit.state], writers, caller }, services)
    const { draft: _, ...shown } = await inPlace('previews', request, services, () =>
      services.previewExtraction({
        componentId,
        configId,
        configuration: unit.configuration,
        state: unit.state,
        imageParameters: found.imageParameters,
        adoptedSecrets: found.configuration.adoptedSecrets,
        rows,
      }),
    )
    return { rowId: unit.rowId, name: unit.name, ...shown }
  },
})

/**
 * Makes a configuration of a curl command, or takes one as it is; says what was guessed and why, and previews it as
 * `previewConfiguration` does. Stores nothing: the secrets of the reply are sealed for
 * `configurationId`, under which it may be stored.
 */
routes.post('/v2/storage/components/{componentId}/drafts', {
  summary: 'Draft a configuration',
  body: z.object({
    configurationId: entityId(),
    text: unlessBlank(text({ max: 4_000_000 })),
    configuration: jsonObject().optional(),
    bucket: unlessBlank(text({ max: 100 })),
    rows: previewedRows,
  }),
  replies: {
    200: 'The draft; what the API or the draft is wrong about is in `error`',
    400: '`storage.components.notRunnable`, `storage.components.validation`; `secrets.notOpened`: another token stored a secret in it',
    429: '`storage.tooManyAtOnce`: two previews of the token are under way',
    404: 'There is no such component',
    503: 'The preview cannot be made right now',
  },
  reply: draftBody,
  handle: async (request, services) => {
    const { componentId } = request.params
    const { text: pasted, configuration: given, configurationId, ...wanted } = request.body
    const configId = configurationId || String(services.nextId())
    const { imageParameters } = findRunnable(componentId, services)
    const place = { componentId, configId, imageParameters, rows: wanted.rows }
    if ((pasted === undefined) === (given === undefined))
      throw new UserError(
        'storage.components.validation',
        'Send either "text", a curl command to make a configuration of, or "configuration".',
      )
    const seal = (value: unknown) =>
      services.seal(value, {
        ...ownerAt({ componentId, configId }, services),
        tokenId: request.caller.tokenId,
      })
    return inPlace('previews', request, services, async () => {
      const asked =
        pasted === undefined
          ? {
              // Never in clear text where it need not be.
              configuration: (await seal(parseJsonObject(given ?? {}, configurationRefusal))) as JsonObject,
              state: {},
              adoptedSecrets: [],
            }
          : {
              text: pasted,
              ...(wanted.bucket && { bucket: wanted.bucket }),
            }
      const { caller } = request
      if ('configuration' in asked)
        await refuseSecretsOfOthers(
          { value: asked.configuration, writers: [caller.tokenId], caller },
          services,
        )
      await recordEvent(request, services, {
        type: 'info',
        component: componentId,
        configurationId: configId,
        message: `Tried a draft of a configuration as ${configId}`,
      })
      const { draft, ...previewed } = await services.previewExtraction({ ...place, ...asked })
      const made = 'configuration' in asked ? { remarks: [], configuration: asked.configuration } : draft
      const configuration = made && ((await seal(made.configuration)) as JsonObject)
      return {
        ...previewed,
        configurationId: configId,
        ...(made && configuration && { draft: { ...made, configuration } }),
      }
    })
  },
})
