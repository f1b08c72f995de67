import type { Configuration, Version } from '../../lib/storage/configurations/configuration.ts'
import { parseId } from '../../lib/storage/db/ids.ts'
import type { Services } from '../services.ts'
import { notFound } from './find-configuration.ts'

/** The version of a configuration that a path names, or 404 `notFound`. */
export const findVersion = async (
  { configurations }: Pick<Services, 'configurations'>,
  configuration: Configuration,
  versionId: string,
): Promise<Version> => {
  const number = parseId(versionId)
  const isThere = number !== undefined && number >= 1 && number <= configuration.current.version
  const version = isThere ? await configurations.version(configuration, number) : undefined
  if (!version) throw notFound(`Version ${versionId.slice(0, 20)} not found`)
  return version
}
