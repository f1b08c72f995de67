import { existsSync } from 'node:fs'
import { UserError } from '../../functions/lib/errors/errors.ts'
import { isContainer, mapFields } from '../../functions/lib/json/json-value.ts'
import { mergeConfiguration } from '../../functions/lib/storage/configurations/merge-configuration.ts'
import { isSealed } from '../../functions/lib/storage/secrets/sealed-secret.ts'
import { configurationSchema } from '../../functions/lib/storage-client/seldom-read.ts'
import { createApi } from '../connect/api.ts'
import type { ServiceFlags } from '../connect/storage-options.ts'
import type { Call } from '../shell/command.ts'
import { pathIn } from '../shell/shell.ts'
import { parsePlace, pathOfConfig } from './config-place.ts'
import { readJsonObject } from './read-json.ts'

/** What runs as one: a row merged with its root, or a configuration without rows. */
interface ConfigUnit {
  name: string
  configuration: Record<string, unknown>
}

/** Whether a source names a stored configuration, and no file. */
export const isStoredPlace = (source: string, shell: Call['shell']): boolean =>
  source !== '-' && !existsSync(pathIn(shell, source)) && /^[^/.]+[^/]*\/[^/]+(\/[^/]+)?$/.test(source)

/** The units of a file (also `-`), or of a stored configuration: its enabled rows, or the row that is named. */
export const readUnits = async (
  source: string,
  { flags, shell }: Pick<Call<ServiceFlags>, 'flags' | 'shell'>,
): Promise<ConfigUnit[]> => {
  if (source === '-' || existsSync(pathIn(shell, source)))
    return [{ name: source, configuration: await readJsonObject(source, shell) }]
  if (!isStoredPlace(source, shell))
    throw new UserError(
      'cli.usage',
      `${source}: there is no such file, and it is not COMPONENT/CONFIGURATION.`,
    )
  const place = parsePlace(source)
  const { findStorage } = await import('../connect/find-storage.ts')
  const { configuration, rows } = await createApi(await findStorage(flags, shell)).get(
    pathOfConfig(place),
    configurationSchema,
  )
  const wanted = rows.filter(({ id, isDisabled }) =>
    place.rowId === undefined ? !isDisabled : id === place.rowId,
  )
  if (place.rowId !== undefined && wanted.length === 0)
    throw new UserError('cli.notFound', `The configuration has no row ${place.rowId}.`)
  if (rows.length === 0) return [{ name: source, configuration }]
  return wanted.map(row => ({
    name: `${place.componentId}/${place.configId}/${row.id}`,
    configuration: mergeConfiguration(configuration, row.configuration),
  }))
}

/** Secrets that were given as `#name=value` take the place of those of this name, wherever they are. */
export const withSecrets = ({ name, configuration }: ConfigUnit, given: readonly string[]): ConfigUnit => {
  const secrets = new Map(
    given.map(each => {
      const equals = each.indexOf('=')
      if (equals < 1) throw new UserError('cli.usage', `--secret ${each}: write it like '#password=…'.`)
      return [each.slice(0, equals), each.slice(equals + 1)] as const
    }),
  )
  const replace = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(replace)
    return isContainer(value) ? mapFields(value, (item, key) => secrets.get(key) ?? replace(item)) : value
  }
  return { name, configuration: replace(configuration) as Record<string, unknown> } // An object gives an object.
}

/** Names of secrets that only the storage service can open. */
export const sealedNames = (configuration: unknown): string[] => {
  const names = new Set<string>()
  const look = (value: unknown): void => {
    if (!isContainer(value)) return
    for (const [key, item] of Object.entries(value)) {
      if (typeof item === 'string' && isSealed(item)) names.add(key)
      else look(item)
    }
  }
  look(configuration)
  return [...names]
}
