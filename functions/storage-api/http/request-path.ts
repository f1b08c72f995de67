const PREFIX = '/v2/storage'

/** Services of their own elsewhere, over what is here: below `/encryption`, or at a host `encryption.…`. */
export const faces = ['encryption', 'scheduler', 'queue', 'query'] as const

const faceHost = new RegExp(`^(${faces.join('|')})\\.`)
const facePath = new RegExp(`^/(${faces.join('|')})/`)

/** The path of an address, as the routes of faces have it. */
export const pathOf = ({ hostname, pathname }: URL): string => {
  const [, face] = faceHost.exec(hostname) ?? []
  return face === undefined || facePath.test(pathname) ? pathname : `/${face}${pathname}`
}

export const isOfFace = (path: string): boolean => facePath.test(path)

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
