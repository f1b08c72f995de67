import { z } from '@hono/zod-openapi'
import { hexDigest } from '#lib/digests.ts'
import { formatLongJson, parseLongJson } from '#lib/iceberg/metadata/long-json.ts'
import { noContent } from '../../http/reply.ts'
import type { Services } from '../../services.ts'
import { type StorageCredential, vendCredentials } from '../access/vend-credentials.ts'
import { defineOperation } from '../catalog-operation.ts'
import { findCatalogTable } from '../names/find-catalog-table.ts'
import { currentMetadata } from './current-metadata.ts'

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
  query: z.object({}),
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
