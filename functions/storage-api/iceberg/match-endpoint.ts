import { UserError } from '../../lib/errors/errors.ts'

/** Where the catalog is mounted: clients get this address without `/v1`. */
export const CATALOG_PATH = '/iceberg'

/**
 * The parameters of a path, decoded, when a request is one for this endpoint; else `undefined`. There is no prefix, so
 * `GET /v1/{prefix}/namespaces` is `GET /iceberg/v1/namespaces`. Error: 400 `storage.validation`.
 */
export const matchEndpoint = (
  endpoint: string,
  { method, pathname }: { method: string; pathname: string },
): Record<string, string> | undefined => {
  const [verb, pattern = ''] = endpoint.split(' ')
  if (verb !== method) return undefined
  const wanted = `${CATALOG_PATH}${pattern.replace('/{prefix}', '')}`.split('/')
  const sent = pathname.split('/')
  if (wanted.length !== sent.length) return undefined
  const params: Record<string, string> = {}
  for (const [index, part] of wanted.entries()) {
    const value = sent[index] ?? ''
    const name = /^\{(.+)\}$/.exec(part)?.[1]
    if (name === undefined && part !== value) return undefined
    if (name !== undefined && value === '') return undefined
    if (name !== undefined) params[name] = decoded(value)
  }
  return params
}

const decoded = (part: string): string => {
  try {
    return decodeURIComponent(part)
  } catch (cause) {
    throw new UserError('storage.validation', 'The path is not valid percent-encoded UTF-8.', { cause })
  }
}
