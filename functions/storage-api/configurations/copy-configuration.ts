import { z } from '@hono/zod-openapi'
import {
  adoptSecrets,
  type SecretHome,
  secretsToAdopt,
} from '../../lib/storage/configurations/adopted-secrets.ts'
import { copyConfiguration as copy } from '../../lib/storage/configurations/change-configuration.ts'
import type { Configuration } from '../../lib/storage/configurations/configuration.ts'
import { findConfiguration, placeOf } from '../find/find-configuration.ts'
import { text } from '../http/fields.ts'
import { recordEvent } from '../http/record-event.ts'
import { routesOf } from '../http/route.ts'
import { changeBy } from './change-configuration.ts'
import { configurationEvent, configurationFacts } from './configuration-events.ts'
import { findVersion } from './read-configurations.ts'
import { ownerAt } from './sealed-settings.ts'

export const routes = routesOf('configurations')

/** Creates an independent configuration from a version, including rows and their states. Its own state is empty. */
routes.post('/v2/storage/components/{componentId}/configs/{configId}/versions/{versionId}/create', {
  summary: 'Create a configuration from a version',
  body: z.object({
    name: text({ min: 1, max: 1000 }),
    description: text({ max: 20_000 }).optional(),
    changeDescription: text({ max: 2000 }).optional(),
  }),
  validationCode: 'storage.components.validation',
  replies: { 201: 'The id of the new configuration', 404: 'There is no such configuration or version' },
  reply: z.object({ id: z.string() }),
  handle: async (request, services) => {
    const { body } = request
    const source = await findConfiguration(request, services)
    const target = await findVersion(services, source, request.params.versionId)
    const changed = changeBy(
      request,
      services,
      body.changeDescription ??
        `Copied from configuration "${target.content.name}" (${source.id}) version ${target.version}`,
    )
    const place = placeOf(request, services)
    const home = { configuration: source, owner: ownerAt({ ...place, configId: source.id }, services) }
    for (;;) {
      const id = String(services.nextId())
      const copied = copy(source, target, { ...body, id, internalId: String(services.nextId()) }, changed)
      const made = await withSecretsOf(home, copied)
      // Skips an id that another process took in the same millisecond.
      if (!(await services.configurations.insert({ ...place, configId: id }, made))) continue
      const event = configurationEvent('componentConfigurationCopied', request, made, {
        params: { sourceConfiguration: configurationFacts(request, source, target) },
        words: { source: target.content.name },
      })
      await recordEvent(request, services, event)
      return { id }
    }
  },
})

/** Only the service may bring sealed values into another configuration. It records them in the copy. */
const withSecretsOf = async (home: SecretHome, copied: Configuration): Promise<Configuration> => {
  const { content } = copied.current
  const texts = [content.configuration, ...content.rows.map(({ configuration }) => configuration)]
  const states = copied.rows.map(({ state }) => state)
  return adoptSecrets(copied, await secretsToAdopt(home, [...texts, ...states], copied.id))
}
