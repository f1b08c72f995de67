import { z } from '@hono/zod-openapi'
import { findRow, replaceRow } from '../../lib/storage/configurations/change-rows.ts'
import { type Configuration, rowMemory } from '../../lib/storage/configurations/configuration.ts'
import { rowBody } from '../../lib/wire/configuration-body.ts'
import { changeBy } from '../configurations/change-configuration.ts'
import { rowFacts } from '../configurations/configuration-events.ts'
import { findConfiguration } from '../configurations/find-configuration.ts'
import { text } from '../http/fields.ts'
import { created } from '../http/reply.ts'
import { defineRoute } from '../http/route.ts'
import { findRowVersion } from './read-rows.ts'
import { storeRow } from './store-row.ts'

/** Creates a version of a row with the content of an old one. Its state does not change. */
export const rollbackRow = defineRoute({
  method: 'post',
  path: '/v2/storage/components/{componentId}/configs/{configId}/rows/{rowId}/versions/{versionId}/rollback',
  summary: 'Roll a row back to a version',
  tag: 'rows',
  body: z.object({ changeDescription: text({ max: 2000 }).optional() }),
  validationCode: 'storage.components.validation',
  replies: { 201: 'The row', 404: 'There is no such row or version' },
  reply: rowBody,
  handle: async (request, services) => {
    const { rowId, versionId } = request.params
    const found = await findConfiguration(request, services)
    const target = await findRowVersion(services, found, rowId, versionId)
    const given = request.body.changeDescription
    const ofRow = changeBy(request, services, given ?? `Rollback to version ${target.version}`)
    const ofConfiguration = given ?? `Row ${rowId} version ${target.version} rollback`
    const step = (current: Configuration): Configuration => {
      findRow(current, rowId)
      const next = replaceRow(current, target, rowMemory(current, rowId).state, ofRow)
      const changed = { ...ofRow, description: ofConfiguration }
      return { ...next, current: { ...next.current, changed } }
    }
    const sourceRow = rowFacts(request, found, target)
    const event = 'componentConfigurationRowRolledBack'
    const row = await storeRow(request, services, rowId, {
      event,
      step,
      params: { sourceRow },
      comesBack: true,
    })
    return created(row)
  },
})
