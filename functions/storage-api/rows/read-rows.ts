import { z } from '@hono/zod-openapi'
import { findRow } from '../../lib/storage/configurations/change-rows.ts'
import { type Configuration, type Row, rowsInOrder } from '../../lib/storage/configurations/configuration.ts'
import { parseId } from '../../lib/storage/db/ids.ts'
import { listedRowVersionBody, rowBody, rowVersionBody } from '../../lib/wire/configuration-body.ts'
import { rowResource, rowVersionResource } from '../configurations/configuration-resource.ts'
import { findConfiguration, notFound } from '../find/find-configuration.ts'
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
    const rows = rowVersions(services, configuration, request.params.rowId)
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
    const { rowId, versionId } = request.params
    const configuration = await findConfiguration(request, services)
    return rowVersionResource(await findRowVersion(services, configuration, rowId, versionId))
  },
})

/** The versions of a row, newest first. Error: 404 `notFound` when the configuration has no such row. */
async function* rowVersions(
  { configurations }: Services,
  configuration: Configuration,
  rowId: string,
): AsyncGenerator<Row> {
  const current = findRow(configuration, rowId)
  yield current
  for await (const row of configurations.history.listRow(configuration.internalId, rowId)) {
    // A row is archived just before its next version becomes current, so it may be in both places.
    if (row.version < current.version) yield row
  }
}

/** One version of a row, or 404 `notFound`. */
export const findRowVersion = async (
  { configurations }: Services,
  configuration: Configuration,
  rowId: string,
  versionId: string,
): Promise<Row> => {
  const current = findRow(configuration, rowId)
  const number = parseId(versionId)
  if (number === current.version) return current
  const isThere = number !== undefined && number >= 1 && number < current.version
  const row = isThere
    ? await configurations.history.getRow(configuration.internalId, rowId, number)
    : undefined
  if (!row) throw notFound(`Row ${rowId.slice(0, 100)} version ${versionId.slice(0, 20)} not found`)
  return row
}
