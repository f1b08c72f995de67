const PREFIX = '/v2/storage'

interface RequestPath {
  /** The path without branch and trailing slash: what the routes are written for. */
  path: string
  /** As it was given: `default` or digits; `undefined` when the path names none. */
  branch: string | undefined
}

/** What no route can match. */
const unroutable: RequestPath = { path: '/-/not-found', branch: undefined }

/**
 * Brings the path of a request to the one form that routes are written for.
 *
 * Every route exists below `/v2/storage/branch/{branch}` as well, and with a trailing slash; a doubled slash is a path
 * of its own that nothing answers (clients test this), never a redirect.
 */
export const readRequestPath = (pathname: string): RequestPath => {
  if (pathname.includes('//')) return unroutable
  const path = pathname.length > 1 && pathname.endsWith('/') ? pathname.slice(0, -1) : pathname
  const branched = /^\/v2\/storage\/branch\/([^/]+)\/(.+)$/.exec(path)
  if (!branched) return { path, branch: undefined }
  const [, branch, rest] = branched
  return { path: `${PREFIX}/${rest}`, branch }
}
