import { UserError } from '../../lib/errors/errors.ts'
import type { Services } from '../services/services.ts'
import { catalogErrorReply } from './catalog-error-reply.ts'
import type { CatalogOperation } from './catalog-operation.ts'
import { CATALOG_PATH, matchEndpoint } from './match-endpoint.ts'
import { inBranchOf } from './names/names.ts'
import { getToken } from './oauth/get-token.ts'
import { getConfig, getNamespace, listCatalogNamespaces, namespaceExists } from './operations/namespaces.ts'
import {
  listCatalogTables,
  loadCredentials,
  loadTable,
  reportMetrics,
  tableExists,
} from './operations/tables.ts'
import { refusedOperations } from './refused-operations.ts'

/** Needs no token, and has errors of its own form. */
const oauthEndpoint = 'POST /v1/oauth/tokens'

/** What is served to who has a token. */
const operations: readonly CatalogOperation[] = [
  getConfig(() => servedEndpoints),
  listCatalogNamespaces,
  getNamespace,
  namespaceExists,
  listCatalogTables,
  loadTable,
  tableExists,
  loadCredentials,
  reportMetrics,
]

/** As clients read it in the reply of `config`. */
export const servedEndpoints: readonly string[] = [
  oauthEndpoint,
  ...operations.map(({ endpoint }) => endpoint),
]

/**
 * Answers a request below `/iceberg/`: the read side of the Iceberg REST catalog (docs/query.md). Never rejects: every
 * failure is a reply in the form of that specification.
 */
export const answerCatalog = async (raw: Request, services: Services): Promise<Response> => {
  try {
    const { pathname, searchParams } = new URL(raw.url)
    const request = { method: raw.method, pathname: pathname.replace(/\/$/, '') }
    if (matchEndpoint(oauthEndpoint, request)) return await getToken(raw, services)
    const caller = await services.authenticate(raw.headers)
    for (const operation of operations) {
      const params = matchEndpoint(operation.endpoint, request)
      if (!params) continue
      const seen = await inBranchOf(services, params['namespace'])
      return await operation.answer({ params, searchParams, caller, raw }, seen)
    }
    throw refusalOf(request)
  } catch (error) {
    return catalogErrorReply(error, services.log)
  }
}

const refusalOf = (request: { method: string; pathname: string }): UserError => {
  for (const [endpoint, instead] of Object.entries(refusedOperations))
    if (matchEndpoint(endpoint, request))
      return new UserError(
        'iceberg.notServed',
        `${endpoint} is not served: this catalog is for reading. ${instead}`,
      )
  return new UserError(
    'notFound',
    `There is no ${request.method} ${request.pathname.slice(0, 300)}. ` +
      `The catalog is at ${CATALOG_PATH}; ${CATALOG_PATH}/v1/config lists what it serves.`,
  )
}
