import { z } from '@hono/zod-openapi'
import { UserError } from '#lib/errors/errors.ts'
import { text, unlessBlank } from '../../http/fields.ts'
import { ok } from '../../http/reply.ts'
import { type CatalogOperation, defineOperation } from '../catalog-operation.ts'

/** Engines that must name a warehouse name this one, or the project by its id. */
const WAREHOUSE = 'millrace'

/** How a client finds out what is here: there is no prefix, and `endpoints` lists what is served. */
export const getConfig = (endpoints: () => readonly string[]): CatalogOperation =>
  defineOperation({
    endpoint: 'GET /v1/config',
    query: z.object({ warehouse: unlessBlank(text({ max: 200 })) }),
    handle: async ({ query: { warehouse } }, { projectId }) => {
      if (warehouse !== undefined && warehouse !== WAREHOUSE && warehouse !== String(projectId))
        throw new UserError(
          'iceberg.warehouseNotFound',
          `There is no warehouse "${warehouse}". The one of this project is called "${WAREHOUSE}".`,
        )
      return ok({ defaults: {}, overrides: {}, endpoints: endpoints() })
    },
  })
