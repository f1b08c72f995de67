import { existsSync } from 'node:fs'
import { UserError } from '../../functions/lib/errors/errors.ts'
import { mergeConfiguration } from '../../functions/lib/storage/configurations/merge-configuration.ts'
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

/** The units of a file (also `-`), or of a stored configuration: its enabled rows, or the row that is named. */
export const readUnits = async (
  source: string,
  { flags, shell }: Pick<Call<ServiceFlags>, 'flags' | 'shell'>,
): Promise<ConfigUnit[]> => {
  if (isFile(source, shell)) return [{ name: source, configuration: await readJsonObject(source, shell) }]
  if (!/^[^/.]+[^/]*\/[^/]+(\/[^/]+)?$/.test(source))
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
