import { z } from '@hono/zod-openapi'
import {
  takeConfiguration,
  updateConfiguration as update,
} from '../../lib/storage/configurations/change-configuration.ts'
import type { Configuration } from '../../lib/storage/configurations/configuration.ts'
import { configurationBody } from '../../lib/wire/configuration-body.ts'
import { text, textList } from '../http/fields.ts'
import { ok } from '../http/reply.ts'
import { defineRoute } from '../http/route.ts'
import { changeBy, changeConfiguration } from './change-configuration.ts'
import { configurationEvent } from './configuration-events.ts'
import { configurationResource, withVersionTag } from './configuration-resource.ts'
import { findConfiguration } from './find-configuration.ts'
import { patchFields, readPatch } from './patch-body.ts'

/**
 * Changes parts of a configuration by a JSON merge patch (RFC 7396), applied to the current configuration: two writers
 * who change different parts do not undo each other. Our addition to the API.
 */
export const patchConfiguration = defineRoute({
  method: 'patch',
  path: '/v2/storage/components/{componentId}/configs/{configId}',
  summary: 'Change parts of a configuration (JSON merge patch)',
  tag: 'configurations',
  body: z.object({
    ...patchFields,
    rowsSortOrder: textList({ itemMax: 200 }).nullable().optional(),
    changeDescription: text({ max: 2000 }).default('Configuration updated'),
  }),
  keepsNull: true,
  validationCode: 'storage.components.validation',
  replies: {
    200: 'The configuration',
    404: 'There is no such configuration',
    409: 'Other writers came first for too long: send it again',
    412: 'The version is none of those that `If-Match` names',
  },
  reply: configurationBody,
  handle: async (request, services) => {
    const { body } = request
    await findConfiguration(request, services)
    const patch = await readPatch(body, request, services)
    const order = body.rowsSortOrder === undefined ? {} : { rowsSortOrder: body.rowsSortOrder ?? [] }
    const changed = changeBy(request, services, body.changeDescription)
    const step = (current: Configuration) => {
      const { configuration, authors } = current.current.content
      return update(
        current,
        { ...patch({ configuration, authors, state: current.state }), ...order },
        changed,
      )
    }
    const configuration = await changeConfiguration(request, services, step, {
      audit: stored => configurationEvent('componentConfigurationChanged', request, stored),
      take: (current, taken) => takeConfiguration(current, {}, taken),
    })
    return withVersionTag(ok(configurationResource(configuration)), configuration)
  },
})
