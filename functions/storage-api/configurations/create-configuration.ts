import { z } from 'zod'
import { UserError } from '../../lib/errors/errors.ts'
import {
  adoptSecrets,
  type SecretHome,
  secretsToAdopt,
} from '../../lib/storage/configurations/adopted-secrets.ts'
import {
  copyConfiguration as copy,
  newConfiguration,
  reviveConfiguration,
} from '../../lib/storage/configurations/change-configuration.ts'
import type { Configuration } from '../../lib/storage/configurations/configuration.ts'
import { mapSecrets } from '../../lib/storage/secrets/map-secrets.ts'
import { handlingOf } from '../../lib/storage-client/prefer-header.ts'
import { copiedBody, newConfigurationBody } from '../../lib/wire/configuration-body.ts'
import { entityId, findComponent, findConfiguration, placeOf } from '../find/find-configuration.ts'
import { flag, text, textList } from '../http/fields.ts'
import { telling } from '../http/record-event.ts'
import { created } from '../http/reply.ts'
import { routesOf } from '../http/route.ts'
import type { RouteRequest } from '../http/route-definition.ts'
import type { Services } from '../services/services.ts'
import {
  changeBy,
  changeConfiguration,
  configurationEvent,
  configurationFacts,
} from './change-configuration.ts'
import { configurationResource, type Stored, warned, withVersionTag } from './configuration-resource.ts'
import { jsonObject, parseJsonObject } from './json-field.ts'
import { judgeChange, warnOfChange } from './judge-change.ts'
import { findVersion } from './read-configurations.ts'
import { configurationRefusal, ownerAt, sealedSettings, stateRefusal } from './sealed-settings.ts'

export const routes = routesOf('configurations')

const body = z.object({
  configurationId: entityId(),
  name: text({ min: 1, max: 1000 }),
  description: text({ max: 20_000 }).default(''),
  configuration: jsonObject().optional(),
  state: jsonObject().optional(),
  changeDescription: text({ max: 2000 }).default('Configuration created'),
  isDisabled: flag().default(false),
  rowsSortOrder: textList({ itemMax: 200 }).optional(),
})

type CreateRequest = RouteRequest<{ componentId: string }, unknown, z.output<typeof body>>

/** Creates a configuration, also over one in the trash, whose version numbers it continues. */
routes.post('/v2/storage/components/{componentId}/configs', {
  summary: 'Create a configuration',
  body,
  validationCode: 'storage.components.validation',
  replies: {
    201: 'The configuration',
    400: '`configurationAlreadyExists`, `validation.invalidConfigurationFormat`, `validation.invalidStateFormat`',
    404: 'There is no such component',
  },
  reply: newConfigurationBody,
  handle: async (request, services) => {
    findComponent(services, request.params.componentId)
    const configId = request.body.configurationId || (await newId(request, services))
    const atPlace = { ...request, params: { ...request.params, configId } }
    const sealed = await sealedSettings(request.body, atPlace, services)
    const configuration = await create(atPlace, services, sealed)
    const { rows: _, ...shown } = configurationResource(configuration)
    return withVersionTag(created(shown), configuration)
  },
})

/** The same `Idempotency-Key` gives the same id, so that the repeated request finds what the first one made. */
const newId = async (
  { caller, branchId, params, body, idempotencyKey }: CreateRequest,
  { idempotency, nextId }: Services,
): Promise<string> => {
  if (idempotencyKey === undefined) return String(nextId())
  const scope = `${caller.tokenId} configuration ${branchId} ${params.componentId}`
  const request = await withoutSecrets(body)
  return String(await idempotency.claimId({ scope, key: idempotencyKey, request }, nextId()))
}

/** For the digest that is stored with the key. Without secrets: a short one could be guessed from it. */
const withoutSecrets = ({ configuration = {}, state = {}, ...settings }: CreateRequest['body']) =>
  mapSecrets(
    {
      ...settings,
      configuration: parseJsonObject(configuration, configurationRefusal),
      state: parseJsonObject(state, stateRefusal),
    },
    async () => '',
  )

const create = async (
  request: Omit<CreateRequest, 'params'> & { params: { componentId: string; configId: string } },
  services: Services,
  { settings, warnings: known }: Awaited<ReturnType<typeof sealedSettings<z.output<typeof body>>>>,
): Promise<Stored> => {
  const place = placeOf(request, services)
  const changed = changeBy(request, services, settings.changeDescription)
  const made = newConfiguration(place.configId, String(services.nextId()), settings, changed)
  const component = findComponent(services, place.componentId)
  const judged = await judgeChange({ component, next: made.current.content }, handlingOf(request.raw.headers))
  const warnings = [...known, ...judged]
  const told = configurationEvent('componentConfigurationCreated', request, made)
  if (await services.configurations.insert(place, made, telling(request, services, told))) {
    await warnOfChange(request, services, warnings)
    return { ...made, warnings }
  }

  const existing = await services.configurations.get(place)
  if (existing && !existing.current.content.isDeleted) {
    const isRepeated = request.idempotencyKey !== undefined && !request.body.configurationId
    if (isRepeated) return existing
    throw new UserError(
      'configurationAlreadyExists',
      `Configuration ${place.configId} already exists in the component ${place.componentId}.`,
    )
  }
  return changeConfiguration(request, services, trashed => reviveConfiguration(trashed, settings, changed), {
    audit: stored => configurationEvent('componentConfigurationRestored', request, stored),
    inTrash: true,
    warnings: known,
  })
}

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
  reply: copiedBody,
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
      const event = configurationEvent('componentConfigurationCopied', request, made, {
        params: { sourceConfiguration: configurationFacts(request, source, target) },
        words: { source: target.content.name },
      })
      const told = telling(request, services, event)
      // Skips an id that another process took in the same millisecond.
      if (!(await services.configurations.insert({ ...place, configId: id }, made, told))) continue
      const component = findComponent(services, place.componentId)
      const warnings = await judgeChange({ component, next: made.current.content }, 'returns')
      const ofCopy = { ...request, params: { ...request.params, configId: id } }
      await warnOfChange(ofCopy, services, warnings)
      return { id, ...warned(warnings) }
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
