import { existsSync } from 'node:fs'
import { UserError } from '../../functions/lib/errors/errors.ts'
import { isContainer, mapFields } from '../../functions/lib/json/json-value.ts'
import { mergeConfiguration } from '../../functions/lib/storage/configurations/merge-configuration.ts'
import { isSealed } from '../../functions/lib/storage/secrets/sealed-secret.ts'
import { configurationSchema } from '../../functions/lib/storage-client/seldom-read.ts'
import { createApi } from '../connect/api.ts'
import { findStorage } from '../connect/find-storage.ts'
import type { ServiceFlags } from '../connect/service-command.ts'
import type { Call } from '../shell/command.ts'
import { readJsonObject } from '../shell/read-json.ts'
import { pathIn } from '../shell/shell.ts'
import { parsePlace } from './config-place.ts'

/** What runs as one: a row merged with its root, or a configuration without rows. */
interface ConfigUnit {
  name: string
  configuration: Record<string, unknown>
}

const isFile = (source: string, shell: Call['shell']): boolean =>
  source === '-' || existsSync(pathIn(shell, source))

/** Whether a source names a stored configuration, and no file. */
export const isStoredPlace = (source: string, shell: Call['shell']): boolean =>
  !isFile(source, shell) && /^[^/.]+[^/]*\/[^/]+(\/[^/]+)?$/.test(source)

/** The units of a file (also `-`), or of a stored configuration: its enabled rows, or the row that is named. */
export const readUnits = async (
  source: string,
  { flags, shell }: Pick<Call<ServiceFlags>, 'flags' | 'shell'>,
): Promise<ConfigUnit[]> => {
  if (isFile(source, shell)) return [{ name: source, configuration: await readJsonObject(source, shell) }]
  if (!isStoredPlace(source, shell))
    throw new UserError(
      'cli.usage',
      `${source}: there is no such file, and it is not COMPONENT/CONFIGURATION.`,
    )
  const { componentId, configId, rowId, root } = parsePlace(source)
  const api = createApi(await findStorage(flags, shell))
  const { configuration, rows } = await api.get(root, configurationSchema)
  if (rowId !== undefined && !rows.some(({ id }) => id === rowId))
    throw new UserError('cli.notFound', `The configuration has no row ${rowId}.`)
  if (rows.length === 0) return [{ name: source, configuration }]
  return rows
    .filter(({ id, isDisabled }) => (rowId === undefined ? !isDisabled : id === rowId))
    .map(row => ({
      name: `${componentId}/${configId}/${row.id}`,
      configuration: mergeConfiguration(configuration, row.configuration),
    }))
}

/**
 * The configuration with the secrets that were given as `#name=value`, wherever their names are.
 *
 * Error: `secrets.notOpened` names the others, which only the storage service can open.
 */
export const openSecrets = (configuration: unknown, given: readonly string[]): unknown => {
  const secrets = new Map(
    given.map(each => {
      const equals = each.indexOf('=')
      if (equals < 1) throw new UserError('cli.usage', `--secret ${each}: write it like '#password=…'.`)
      return [each.slice(0, equals), each.slice(equals + 1)] as const
    }),
  )
  const sealed = new Set<string>()
  const open = (value: unknown, name = ''): unknown => {
    if (typeof value === 'string' && isSealed(value)) sealed.add(name)
    if (Array.isArray(value)) return value.map(item => open(item, name))
    return isContainer(value) ? mapFields(value, (item, key) => secrets.get(key) ?? open(item, key)) : value
  }
  const opened = open(configuration)
  if (sealed.size === 0) return opened
  const wanted = [...sealed].map(name => `--secret '${name}=…'`)
  throw new UserError(
    'secrets.notOpened',
    `Only the storage service can open ${[...sealed].join(', ')}. Give ${wanted.join(' ')}.`,
  )
}
