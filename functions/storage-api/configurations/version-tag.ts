import { UserError } from '../../lib/errors/errors.ts'
import type { Configuration } from '../../lib/storage/configurations/configuration.ts'

/** The version as an entity tag: `"7"`. */
const tagOf = ({ current }: Configuration): string => `"${current.version}"`

/** The reply with the configuration's version as its `ETag`, for `If-Match` of the next change. */
export const withVersionTag = (reply: Response, configuration: Configuration): Response => {
  reply.headers.set('etag', tagOf(configuration))
  return reply
}

/**
 * RFC 9110, 13.1.1: the version must be one of those named. `*` is any version.
 * Error: 412 `storage.components.configurations.versionChanged`.
 */
export const checkIfMatch = (headers: Headers, configuration: Configuration): void => {
  const named = headers
    .get('if-match')
    ?.split(',')
    .map(tag => tag.trim())
  if (!named || named.includes('*')) return
  const { version } = configuration.current
  // A bare number is no entity tag, but people write it.
  if (named.includes(tagOf(configuration)) || named.includes(String(version))) return
  throw new UserError(
    'storage.components.configurations.versionChanged',
    `The configuration ${configuration.id} is at version ${version} by now. Read it again before you change it.`,
    { params: { version } },
  )
}
