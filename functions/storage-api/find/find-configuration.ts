import { UserError } from '../../lib/errors/errors.ts'
import type { Configuration, ConfigurationPlace } from '../../lib/storage/configurations/configuration.ts'
import type { Component } from '../../lib/wire/component-body.ts'
import { text } from '../http/fields.ts'
import type { Sender } from '../http/route-definition.ts'
import type { Services } from '../services/services.ts'

const MAX_LENGTH = 200

/** Clients use `\`, `:`, `@` and spaces in ids; `/`, `?`, `#` and `%` mean something in paths and keys. */
const CHARACTERS = /^[A-Za-z0-9_.:@\\ -]+$/

/**
 * Ids of configurations and rows: what fits a sort key and a path. Compared character by character, so a space at an end,
 * which nobody sees, is refused; `.` and `..` would be steps in a path.
 */
const isEntityId = (id: string): boolean =>
  id.length <= MAX_LENGTH && CHARACTERS.test(id) && id.trim() === id && id !== '.' && id !== '..'

/** An id that a client chooses. Empty or absent: the service makes one. */
export const entityId = () =>
  text({ max: MAX_LENGTH })
    .refine(id => id === '' || isEntityId(id), {
      error:
        'This value should hold letters, digits, dots, dashes, underscores, colons, backslashes, "@" and inner spaces only.',
    })
    .optional()

export interface ConfigurationRequest extends Sender {
  params: { componentId: string; configId: string }
}

/** The component, or 404 `notFound`. */
export const findComponent = ({ components }: Services, componentId: string): Component => {
  const component = components.get(componentId)
  if (!component) throw notFound(`Component ${componentId.slice(0, 100)} not found`)
  return component
}

/** Where the configuration of a path is stored, if it exists. Its component exists. Error: 404 `notFound`. */
export const placeOf = (
  { params, branchId }: Pick<ConfigurationRequest, 'params' | 'branchId'>,
  services: Services,
): ConfigurationPlace => {
  const { id: componentId } = findComponent(services, params.componentId)
  if (!isEntityId(params.configId)) throw configurationNotFound(params.configId)
  return { branchId, componentId, configId: params.configId }
}

/** The configuration of a path, or 404 `notFound`, also if it is in the trash. */
export const findConfiguration = async (
  request: Pick<ConfigurationRequest, 'params' | 'branchId'>,
  services: Services,
): Promise<Configuration> => {
  const place = placeOf(request, services)
  const configuration = await services.configurations.get(place)
  if (!configuration || configuration.current.content.isDeleted) throw configurationNotFound(place.configId)
  return configuration
}

export const configurationNotFound = (configId: string): UserError =>
  notFound(`Configuration ${configId.slice(0, 200)} not found`)

export const notFound = (message: string): UserError => new UserError('notFound', message)
