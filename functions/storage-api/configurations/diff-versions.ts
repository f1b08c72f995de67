import type { Version } from '../../lib/storage/configurations/configuration.ts'
import { patchBody } from '../../lib/wire/configuration-body.ts'
import { findConfiguration } from '../find/find-configuration.ts'
import { ok } from '../http/reply.ts'
import { defineRoute } from '../http/route.ts'
import { versionResource } from './configuration-resource.ts'
import { findVersion } from './read-configurations.ts'

/**
 * The changes between two versions, as a JSON patch (RFC 6902). Rows are an object by id, so that an added row does not
 * look like a change of all rows after it.
 */
export const diffVersions = defineRoute({
  method: 'get',
  path: '/v2/storage/components/{componentId}/configs/{configId}/versions/{versionId}/diff/{otherVersionId}',
  summary: 'Difference of two versions as a JSON patch',
  tag: 'configurations',
  replies: {
    200: 'The operations that turn the first version into the second',
    404: 'There is no such version',
  },
  reply: patchBody,
  handle: async (request, services) => {
    const configuration = await findConfiguration(request, services)
    const [from, to] = await Promise.all([
      findVersion(services, configuration, request.params.versionId),
      findVersion(services, configuration, request.params.otherVersionId),
    ])
    const { createPatch } = await import('./create-patch.ts')
    return ok(createPatch(comparable(from), comparable(to)))
  },
})

/** Only what callers set. Who set it and when always differs. */
const comparable = (version: Version) => {
  const { name, description, configuration, isDisabled, isDeleted, rowsSortOrder, rows } =
    versionResource(version)
  const settings = rows.map(row => [
    row.id,
    {
      name: row.name,
      description: row.description,
      configuration: row.configuration,
      isDisabled: row.isDisabled,
    },
  ])
  return {
    name,
    description,
    configuration,
    isDisabled,
    isDeleted,
    rowsSortOrder,
    rows: Object.fromEntries(settings),
  }
}
