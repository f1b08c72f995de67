import { z } from '@hono/zod-openapi'
import { findRow } from '../../lib/storage/configurations/change-rows.ts'
import type { Row } from '../../lib/storage/configurations/configuration.ts'
import { listedRowVersionBody } from '../../lib/wire/configuration-body.ts'
import { rowVersionResource } from '../configurations/configuration-resource.ts'
import { findConfiguration } from '../configurations/find-configuration.ts'
import { integer } from '../http/fields.ts'
import { includeOf } from '../http/include.ts'
import { page } from '../http/page.ts'
import { ok } from '../http/reply.ts'
import { defineRoute } from '../http/route.ts'
import { listRowVersions as list } from './row-versions.ts'

/** All but the configuration are always there. The state belongs to no version: clients ask for it all the same. */
const rowVersionParts = [
  ...['configuration', 'name', 'description', 'state', 'isDisabled', 'version', 'created', 'creatorToken'],
  ...['changeDescription', 'isDeleted', 'versionIdentifier'],
]

/** The versions of one row, newest first. With `include=configuration`, their content. */
export const listRowVersions = defineRoute({
  method: 'get',
  path: '/v2/storage/components/{componentId}/configs/{configId}/rows/{rowId}/versions',
  summary: 'List the versions of a row',
  tag: 'rows',
  query: z.object({
    include: includeOf(rowVersionParts),
    limit: integer({ max: 1000 }).default(100),
    offset: integer().default(0),
  }),
  replies: { 200: 'The versions', 404: 'There is no such configuration or row' },
  reply: z.array(listedRowVersionBody),
  handle: async (request, services) => {
    const { include, limit, offset } = request.query
    const configuration = await findConfiguration(request, services)
    findRow(configuration, request.params.rowId)
    const rows = list(services, configuration, request.params.rowId)
    const show = (row: Row) => {
      const { configuration, ...version } = rowVersionResource(row)
      return { ...version, ...(include.includes('configuration') && { configuration }) }
    }
    return ok(await page(rows, { limit, offset, show }))
  },
})
