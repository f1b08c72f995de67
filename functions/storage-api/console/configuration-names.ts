import { configurationBody } from '../../lib/wire/configuration-body.ts'
import { reads } from '../../lib/wire/reads.ts'
import { type ApiClient, orNothing, path } from './api-client.ts'

interface Configured {
  componentId: string
  configId: string
}

/** Names of configurations by the paths of their routes. */
export type ConfigurationNames = ReadonlyMap<string, string>

const named = reads(configurationBody, { name: true })
const routeOf = ({ componentId, configId }: Configured): string =>
  path`components/${componentId}/configs/${configId}`

/** Of those that a page is about. One that is gone has none. */
export const configurationNames = async (
  client: ApiClient,
  of: readonly Configured[],
): Promise<ConfigurationNames> => {
  const routes = [...new Set(of.map(routeOf))]
  const found = await Promise.all(routes.map(route => orNothing(client.get(route, named))))
  return new Map(routes.map((route, at) => [route, found[at]?.name ?? '']))
}

/** The name, or the id where it has none. */
export const nameIn = (names: ConfigurationNames, of: Configured): string =>
  names.get(routeOf(of)) || of.configId
