import type { Authentication } from '../../config/authentication-schema.ts'
import type { Job } from '../../config/job-schema.ts'
import { resolveUrl } from './resolve-url.ts'

interface TrustedOriginsInput {
  baseUrl: string
  logins: readonly (Authentication | undefined)[]
  jobs: readonly Job[]
  /** `api.http.trustedOrigins`. */
  listed: readonly string[]
  /** Works out an address that the configuration makes of its own settings. */
  evaluate: (address: object) => string
}

/**
 * Origins (scheme, host, port) that credentials and configured headers may go to: the base address, the login, origins
 * that the configuration lists, and those that the author wrote out in a job's endpoint. Never what a response names.
 */
export const trustedOrigins = ({
  baseUrl,
  logins,
  jobs,
  listed,
  evaluate,
}: TrustedOriginsInput): ReadonlySet<string> => {
  const origins = new Set([resolveUrl(baseUrl, '').origin])
  for (const given of [...logins.map(loginEndpointOf), ...listed, ...endpointsOf(jobs)]) {
    if (given === undefined) continue
    const endpoint = typeof given === 'string' ? given : evaluate(given)
    const host = /^https?:\/\/([^/?#]*)/i.exec(endpoint)?.[1]
    // A placeholder in the host would let a response decide where credentials go
    if (host === undefined || host.includes('{')) continue
    origins.add(resolveUrl(baseUrl, endpoint).origin)
  }
  return origins
}

/** Where credentials are exchanged. */
const loginEndpointOf = (authentication: Authentication | undefined): string | object | undefined => {
  if (authentication === undefined) return undefined
  if ('loginRequest' in authentication) return authentication.loginRequest.endpoint
  return 'tokenUrl' in authentication ? authentication.tokenUrl : undefined
}

function* endpointsOf(jobs: readonly Job[]): Generator<string> {
  for (const job of jobs) {
    yield job.endpoint
    yield* endpointsOf(job.children ?? [])
  }
}
