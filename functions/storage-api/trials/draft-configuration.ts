import { z } from '@hono/zod-openapi'
import { UserError } from '../../lib/errors/errors.ts'
import { draftBody } from '../../lib/extractor/run/preview/preview-schemas.ts'
import { jsonObject, parseJsonObject } from '../configurations/json-field.ts'
import { configurationRefusal, ownerAt } from '../configurations/sealed-settings.ts'
import { entityId } from '../find/entity-id.ts'
import { inPlace } from '../http/at-once.ts'
import { text, unlessBlank } from '../http/fields.ts'
import { routesOf } from '../http/route.ts'
import { previewedRows } from './preview-configuration.ts'
import { findRunnable } from './trial-unit.ts'

export const routes = routesOf('configurations')

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
    400: '`storage.components.notRunnable`, `storage.components.validation`',
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

/** Sealing maps objects to objects. */
type JsonObject = Record<string, unknown>
