import { setState } from '../../lib/storage/configurations/change-configuration.ts'
import { configurationBody } from '../../lib/wire/configuration-body.ts'
import { ok } from '../http/reply.ts'
import { defineRoute } from '../http/route.ts'
import { changeConfiguration } from './change-configuration.ts'
import { configurationEvent } from './configuration-events.ts'
import { configurationResource } from './configuration-resource.ts'
import { findConfiguration } from './find-configuration.ts'
import { sealedState, stateBody } from './state-body.ts'

/** Sets the state of a component. Creates no version: components save their state after each run. */
export const setConfigurationState = defineRoute({
  method: 'put',
  path: '/v2/storage/components/{componentId}/configs/{configId}/state',
  summary: 'Set the state of a configuration',
  tag: 'configurations',
  body: stateBody,
  replies: {
    200: 'The configuration',
    400: '`storage.components.validation`',
    404: 'There is no such configuration',
  },
  reply: configurationBody,
  handle: async (request, services) => {
    await findConfiguration(request, services)
    const state = await sealedState(request.body, request, services)
    const configuration = await changeConfiguration(request, services, current => setState(current, state), {
      audit: stored => configurationEvent('componentConfigurationStateChanged', request, stored),
    })
    return ok(configurationResource(configuration))
  },
})
