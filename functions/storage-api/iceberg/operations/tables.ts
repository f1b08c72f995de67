import { z } from 'zod'
import { hexDigest } from '#lib/digests.ts'
import { formatLongJson, parseLongJson } from '#lib/iceberg/metadata/long-json.ts'
import type { TableHead } from '#lib/storage/tables/table-record.ts'
import { tableIdOf } from '#lib/storage/tables/table-store.ts'
import { checkFields } from '../../http/check-fields.ts'
import { text } from '../../http/fields.ts'
import { readBody } from '../../http/read-body.ts'
import { noContent, ok } from '../../http/reply.ts'
import type { Services } from '../../services/services.ts'
import { type StorageCredential, vendCredentials } from '../access/vend-credentials.ts'
import { defineOperation } from '../catalog-operation.ts'
import { findCatalogTable, findNamespace, identifiersOf } from '../names/names.ts'
import { pageFields, pageOf } from '../page-of.ts'

/** The tables of a bucket. */
export const listCatalogTables = defineOperation({
  endpoint: 'GET /v1/{prefix}/namespaces/{namespace}/tables',
  query: z.object(pageFields),
  handle: async ({ caller, params: { namespace = '' }, query }, services) => {
    const bucket = await findNamespace(services, caller, namespace)
    const found = await services.tables.namesInBucket(bucket.id)
    // Engines see no aliases.
    const all = found
      .filter(({ isAlias }) => !isAlias)
      .map(({ name }) => ({ id: tableIdOf({ bucketId: bucket.id, name }), name }))
    const identifiers = identifiersOf(all)
    const named = all.map(({ id, name }, index) => ({ name, identifier: identifiers[index] ?? id }))
    const { items, nextPageToken } = pageOf(named, query)
    return ok({
      identifiers: items.map(({ identifier }) => ({ namespace: [namespace], name: identifier })),
      'next-page-token': nextPageToken,
    })
  },
})

/** The metadata file that the head of a table names. */
const currentMetadata = async (
  table: TableHead,
  { locationOf, readText }: Services['tableAccess'],
): Promise<{ location: string; text: string }> => {
  const { metadataKey } = table
  if (metadataKey === undefined) throw new Error(`The table "${tableIdOf(table)}" has no metadata.`)
  const location = locationOf(metadataKey)
  return { location, text: await readText(location) }
}

const endpoint = '/v1/{prefix}/namespaces/{namespace}/tables/{table}'

/**
 * How long a reply with credentials may be used again: half of their life, so that a client which is answered "not
 * modified" has credentials that are good for another half hour.
 */
const CREDENTIALS_REUSE_MS = 1_800_000

const asksForCredentials = ({ headers }: Request): boolean =>
  (headers.get('x-iceberg-access-delegation') ?? '')
    .split(',')
    .some(mechanism => mechanism.trim() === 'vended-credentials')

/**
 * The current metadata file of a table, its text as it is: ids of snapshots have 64 bits. With
 * `X-Iceberg-Access-Delegation: vended-credentials` also credentials to read the table's objects.
 */
export const loadTable = defineOperation({
  endpoint: `GET ${endpoint}`,
  query: z.object({ snapshots: z.enum(['all', 'refs']).default('all') }),
  handle: async (request, services) => {
    const { raw, query } = request
    const table = await findCatalogTable(request, services)
    const { location, text } = await currentMetadata(table, services.tableAccess)
    const isDelegated = asksForCredentials(raw)
    const slot = isDelegated ? Math.floor(services.now().getTime() / CREDENTIALS_REUSE_MS) : 'none'
    const etag = etagOf(location, query.snapshots, String(slot))
    if (matches(raw.headers.get('if-none-match'), etag))
      return new Response(null, { status: 304, headers: { etag } })

    const credential = isDelegated ? await vendCredentials(request, services, { table, text }) : undefined
    const fields = {
      'metadata-location': JSON.stringify(location),
      metadata: query.snapshots === 'all' ? text : withNamedSnapshots(text),
      config: JSON.stringify(credential?.config ?? services.tableAccess.storageConfig),
      ...(credential && {
        'storage-credentials': JSON.stringify(entriesOf(credential, services.tableAccess)),
      }),
    }
    const body = Object.entries(fields).map(([name, json]) => `"${name}":${json}`)
    return new Response(`{${body.join(',')}}`, {
      status: 200,
      headers: { 'content-type': 'application/json', etag, 'cache-control': 'private' },
    })
  },
})

/**
 * DuckDB (1.5) takes a single entry for one of the table's own folder, whatever its prefix. So that of a table which shares files with others
 * has a second one beside it: the same objects by their address, which is no prefix to clients that look for `s3`.
 */
const entriesOf = (
  credential: StorageCredential,
  { locationOf, httpLocation }: Services['tableAccess'],
): StorageCredential[] =>
  credential.prefix === locationOf('') ? [credential, { ...credential, prefix: httpLocation }] : [credential]

export const tableExists = defineOperation({
  endpoint: `HEAD ${endpoint}`,
  handle: async (request, services) => {
    await findCatalogTable(request, services)
    return noContent()
  },
})

const etagOf = (...parts: string[]): string => `"${hexDigest(parts.join('\n'), 32)}"`

/** RFC 9110, 13.1.2: a list of tags, compared weakly, or any. */
const matches = (ifNoneMatch: string | null, etag: string): boolean =>
  (ifNoneMatch ?? '').split(',').some(tag => ['*', etag].includes(tag.trim().replace(/^W\//, '')))

const referring = z.looseObject({
  snapshots: z.array(z.looseObject({ 'snapshot-id': z.union([z.bigint(), z.number()]) })).default([]),
  refs: z.record(z.string(), z.looseObject({ 'snapshot-id': z.union([z.bigint(), z.number()]) })).default({}),
})

/** The metadata with only those snapshots that a branch or a tag names. */
const withNamedSnapshots = (text: string): string => {
  const metadata = referring.parse(parseLongJson(text))
  const named = new Set(Object.values(metadata.refs).map(ref => ref['snapshot-id']))
  const snapshots = metadata.snapshots.filter(snapshot => named.has(snapshot['snapshot-id']))
  return formatLongJson({ ...metadata, snapshots })
}

/** New credentials for a table, for queries that take longer than the first ones last. */
export const loadCredentials = defineOperation({
  endpoint: 'GET /v1/{prefix}/namespaces/{namespace}/tables/{table}/credentials',
  handle: async (request, services) => {
    const table = await findCatalogTable(request, services)
    const { text } = await currentMetadata(table, services.tableAccess)
    return ok({ 'storage-credentials': [await vendCredentials(request, services, { table, text })] })
  },
})

const report = z.looseObject({ 'report-type': text({ min: 1, max: 200 }) })

/** What engines send after a scan. The log keeps that there was one; its figures are not stored. */
export const reportMetrics = defineOperation({
  endpoint: 'POST /v1/{prefix}/namespaces/{namespace}/tables/{table}/metrics',
  handle: async (request, services) => {
    const table = await findCatalogTable(request, services)
    const { 'report-type': reportType } = checkFields(
      report,
      await readBody(request.raw),
      'storage.validation',
    )
    services.log.info('metrics of a scan, not stored', { tableId: tableIdOf(table), reportType })
    return noContent()
  },
})
