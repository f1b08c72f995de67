import { recordEvent } from '../events/record-event.ts'
import type { Services } from '../services.ts'
import type { ConfigurationRequest } from './find-configuration.ts'

/**
 * Warns the author with an event when a configuration is wrapped in another `configuration` node. It is stored
 * unchanged, but the component will not find its parameters (docs/reference/storage-api.md#configuration-resource).
 */
export const warnWhenWrapped = async (
  request: Omit<ConfigurationRequest, 'raw'>,
  services: Services,
  configuration: string | undefined,
): Promise<void> => {
  if (configuration === undefined || !isWrapped(JSON.parse(configuration))) return
  const { componentId, configId } = request.params
  await recordEvent(request, services, {
    type: 'warn',
    event: 'storage.configurationWrapped',
    component: componentId,
    configurationId: configId,
    message:
      'The configuration was sent inside another "configuration" node. It was stored as it was sent, and the component ' +
      'will receive it so. Send only the contents of the node.',
  })
}

const isWrapped = (value: unknown): boolean => {
  if (typeof value !== 'object' || value === null) return false
  const [first, ...others] = Object.entries(value)
  return first?.[0] === 'configuration' && typeof first[1] === 'object' && others.length === 0
}
