const PREFIX = '/v2/storage'

interface RequestPath {
  /** The path without branch and trailing slash, which is the form that routes use. */
  path: string
  /** As in the path: `default` or digits. `undefined` when the path names none. */
  branch: string | undefined
}

/** A path that no route can match. */
const unroutable: RequestPath = { path: '/-/not-found', branch: undefined }

/**
 * Normalises the path of a request for the routes.
 *
 * Every route also exists below `/v2/storage/branch/{branch}`, and with a trailing slash, which only the name of a tag keeps. A path with a doubled slash
 * is not found, and never redirected (clients test this).
 */
export const readRequestPath = (pathname: string): RequestPath => {
  if (pathname.includes('//')) return unroutable
  const isTag = /\/files\/[^/]+\/tags\/./.test(pathname)
  const path = pathname.length > 1 && pathname.endsWith('/') && !isTag ? pathname.slice(0, -1) : pathname
  const branched = /^\/v2\/storage\/branch\/([^/]+)\/(.+)$/.exec(path)
  if (!branched) return { path, branch: undefined }
  const [, branch, rest] = branched
  return { path: `${PREFIX}/${rest}`, branch }
}
