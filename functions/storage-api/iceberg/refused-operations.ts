const buckets = 'Buckets are made, changed and deleted with /v2/storage/buckets.'
const tables = 'Tables are made, changed and deleted with /v2/storage/tables, and loaded with import-async.'
const views = 'There are no views here. An alias is exported, or queried with POST /v2/storage/query.'
const functions = 'There are no functions here.'
const planning = 'Clients plan their scans themselves, from the manifests of the table.'

const namespace = '/v1/{prefix}/namespaces/{namespace}'
const table = `${namespace}/tables/{table}`

/** The operations of the specification that are not served, each with what to do instead. */
export const refusedOperations: Readonly<Record<string, string>> = {
  'POST /v1/{prefix}/namespaces': buckets,
  [`DELETE ${namespace}`]: buckets,
  [`POST ${namespace}/properties`]: buckets,
  [`POST ${namespace}/tables`]: tables,
  [`POST ${namespace}/register`]: tables,
  [`POST ${table}`]: tables,
  [`DELETE ${table}`]: tables,
  [`POST ${table}/unregister`]: tables,
  'POST /v1/{prefix}/tables/rename': tables,
  'POST /v1/{prefix}/transactions/commit': tables,
  [`POST ${table}/plan`]: planning,
  [`GET ${table}/plan/{plan-id}`]: planning,
  [`DELETE ${table}/plan/{plan-id}`]: planning,
  [`POST ${table}/tasks`]: planning,
  [`POST ${table}/sign`]: 'Requests are not signed here; ask for vended credentials.',
  [`GET ${namespace}/functions`]: functions,
  [`GET ${namespace}/functions/{function}`]: functions,
  [`GET ${namespace}/views`]: views,
  [`POST ${namespace}/views`]: views,
  [`POST ${namespace}/register-view`]: views,
  [`GET ${namespace}/views/{view}`]: views,
  [`HEAD ${namespace}/views/{view}`]: views,
  [`POST ${namespace}/views/{view}`]: views,
  [`DELETE ${namespace}/views/{view}`]: views,
  'POST /v1/{prefix}/views/rename': views,
}
