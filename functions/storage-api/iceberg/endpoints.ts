import type { CatalogOperation } from './catalog-operation.ts'
import { getConfig, getNamespace, listCatalogNamespaces, namespaceExists } from './operations/namespaces.ts'
import {
  listCatalogTables,
  loadCredentials,
  loadTable,
  reportMetrics,
  tableExists,
} from './operations/tables.ts'
import { listViews, loadView, viewExists } from './operations/views.ts'

/** Needs no token, and has errors of its own form. */
export const oauthEndpoint = 'POST /v1/oauth/tokens'

/** What is served to who has a token. */
export const operations: readonly CatalogOperation[] = [
  getConfig(() => servedEndpoints),
  listCatalogNamespaces,
  getNamespace,
  namespaceExists,
  listCatalogTables,
  loadTable,
  tableExists,
  loadCredentials,
  reportMetrics,
  listViews,
  loadView,
  viewExists,
]

/** As clients read it in the reply of `config`. */
export const servedEndpoints: readonly string[] = [
  oauthEndpoint,
  ...operations.map(({ endpoint }) => endpoint),
]
