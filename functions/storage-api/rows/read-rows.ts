import { z } from 'zod'
import { findRow } from '../../lib/storage/configurations/change-rows.ts'
import { type Configuration, type Row, rowsInOrder } from '../../lib/storage/configurations/configuration.ts'
import { parseId } from '../../lib/storage/db/ids.ts'
import { listedRowVersionBody, rowBody, rowVersionBody } from '../../lib/wire/configuration-body.ts'
import { rowResource, rowVersionResource } from '../configurations/configuration-resource.ts'
import {
  type ConfigurationRequest,
  findConfiguration,
  notFound,
  placeOf,
} from '../find/find-configuration.ts'
import { includeOf, integer } from '../http/fields.ts'
import { page } from '../http/page.ts'
import { routesOf } from '../http/route.ts'
import type { Services } from '../services/services.ts'

export const routes = routesOf('rows')

routes.get('/v2/storage/components/{componentId}/configs/{configId}/rows', {
  summary: 'List the rows of a configuration',
  replies: { 200: 'The rows in their order', 404: 'There is no such configuration' },
  reply: z.array(rowBody),
  handle: async (request, services) => {
    const configuration = await findConfiguration(request, services)
    return rowsInOrder(configuration.current.content).map(row => rowResource(row, configuration))
  },
})

routes.get('/v2/storage/components/{componentId}/configs/{configId}/rows/{rowId}', {
  summary: 'Row detail',
  replies: { 200: 'The row', 404: 'There is no such configuration or row' },
  reply: rowBody,
  handle: async (request, services) => {
    const configuration = await findConfiguration(request, services)
    return rowResource(findRow(configuration, request.params.rowId), configuration)
  },
})

/** All but the configuration are always there, or never: the state and the identifier belong to no version of a row, and clients ask for them. */
const rowVersionParts = [
  ...['configuration', 'name', 'description', 'state', 'isDisabled', 'version', 'created', 'creatorToken'],
  ...['changeDescription', 'isDeleted', 'versionIdentifier'],
]

/** The versions of one row, newest first. With `include=configuration`, their content. */
routes.get('/v2/storage/components/{componentId}/configs/{configId}/rows/{rowId}/versions', {
  summary: 'List the versions of a row',
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
    const rows = services.configurations.rowVersions(placeOf(request, services), request.params.rowId)
    const show = (row: Row) => {
      const { configuration, ...version } = rowVersionResource(row)
      return { ...version, ...(include.includes('configuration') && { configuration }) }
    }
    return page(rows, { limit, offset, show })
  },
})

routes.get('/v2/storage/components/{componentId}/configs/{configId}/rows/{rowId}/versions/{versionId}', {
  summary: 'Version detail of a row',
  replies: { 200: 'The version of the row, without a state', 404: 'There is no such row or version' },
  reply: rowVersionBody,
  handle: async (request, services) => {
    const configuration = await findConfiguration(request, services)
    return rowVersionResource(await findRowVersion(configuration, request, services))
  },
})

/** The version of a row that a path names, or 404 `notFound`. */
export const findRowVersion = async (
  configuration: Configuration,
  request: ConfigurationRequest & { params: { rowId: string; versionId: string } },
  services: Services,
): Promise<Row> => {
  const { rowId, versionId } = request.params
  const current = findRow(configuration, rowId)
  const number = parseId(versionId) ?? 0
  if (number >= 1 && number <= current.version)
    for await (const row of services.configurations.rowVersions(placeOf(request, services), rowId))
      if (row.version === number) return row
  throw notFound(`Row ${rowId.slice(0, 100)} version ${versionId.slice(0, 20)} not found`)
}
