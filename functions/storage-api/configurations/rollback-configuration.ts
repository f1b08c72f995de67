import { z } from '@hono/zod-openapi'
import { rollbackConfiguration as rollback } from '../../lib/storage/configurations/change-configuration.ts'
import { rolledBackBody } from '../../lib/wire/configuration-body.ts'
import { text } from '../http/fields.ts'
import { created } from '../http/reply.ts'
import { defineRoute } from '../http/route.ts'
import { changeBy, changeConfiguration } from './change-configuration.ts'
import { configurationEvent, configurationFacts } from './configuration-events.ts'
import { findConfiguration } from './find-configuration.ts'
import { findVersion } from './read-configurations.ts'

/** Creates a version with the content of an old one, including rows. States do not change. */
export const rollbackConfiguration = defineRoute({
  method: 'post',
  path: '/v2/storage/components/{componentId}/configs/{configId}/versions/{versionId}/rollback',
  summary: 'Roll a configuration back to a version',
  tag: 'configurations',
  body: z.object({ changeDescription: text({ max: 2000 }).optional() }),
  validationCode: 'storage.components.validation',
  replies: { 201: 'The new version', 404: 'There is no such configuration or version' },
  reply: rolledBackBody,
  handle: async (request, services) => {
    const found = await findConfiguration(request, services)
    const target = await findVersion(services, found, request.params.versionId)
    const text = request.body.changeDescription ?? `Rollback to version ${target.version}`
    const changed = changeBy(request, services, text)
    const { current } = await changeConfiguration(
      request,
      services,
      configuration => rollback(configuration, target, changed),
      {
        audit: stored =>
          configurationEvent('componentConfigurationRolledBack', request, stored, {
            params: { sourceConfiguration: configurationFacts(request, found, target) },
          }),
        comesBack: true,
      },
    )
    return created({ version: String(current.version) })
  },
})
