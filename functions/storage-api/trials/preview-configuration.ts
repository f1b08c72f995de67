import { z } from '@hono/zod-openapi'
import { PREVIEW_LIMITS } from '../../lib/extractor/run/preview/preview-limits.ts'
import { previewBody } from '../../lib/extractor/run/preview/preview-schemas.ts'
import { inPlace } from '../http/at-once.ts'
import { integer, text, unlessBlank } from '../http/fields.ts'
import { routesOf } from '../http/route.ts'
import { findTrialUnit } from './trial-unit.ts'

export const routes = routesOf('configurations')

const MAX_ROWS = 100

const DEFAULT_ROWS = 10

/** Of each job. */
export const previewedRows = integer({ min: 1, max: MAX_ROWS }).default(DEFAULT_ROWS)

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
    400: '`storage.components.notRunnable`',
    429: '`storage.tooManyAtOnce`: two previews of the token are under way',
    404: 'There is no such configuration or row',
    503: 'The preview cannot be made right now',
  },
  reply: previewBody,
  handle: async (request, services) => {
    const { componentId, configId } = request.params
    const { rowId, rows } = request.body
    const { unit, configuration, imageParameters } = await findTrialUnit(request, rowId, services)
    const { draft: _, ...shown } = await inPlace('previews', request, services, () =>
      services.previewExtraction({
        componentId,
        configId,
        configuration: unit.configuration,
        state: unit.state,
        imageParameters,
        adoptedSecrets: configuration.adoptedSecrets,
        rows,
      }),
    )
    return { rowId: unit.rowId, name: unit.name, ...shown }
  },
})
