import { parse } from 'csv-parse/sync'
import { describe, expect, it } from 'vitest'
import { readerOf, s3Of } from '../support/catalog-reader.ts'
import { icebirdRows } from '../support/icebird-view.ts'
import type { Reply } from '../support/service-client.ts'
import { connectTarget } from './target.ts'

const target = await connectTarget()
const bucketId = await target.createBucket('Catalog-1')
const form = { grant_type: 'client_credentials', client_secret: target.token }
const reply = await fetch(`${target.url}/iceberg/v1/oauth/tokens`, {
  method: 'POST',
  body: new URLSearchParams(form),
})
const body: Reply['body'] = await reply.json()
const token = body.access_token

const catalog = async (path: string, init: RequestInit = {}) => {
  const headers = { authorization: `Bearer ${token}`, 'x-iceberg-access-delegation': 'vended-credentials' }
  const response = await fetch(`${target.url}/iceberg/v1/${path}`, { ...init, headers })
  const body: Reply['body'] = response.status === 204 ? undefined : await response.json()
  return { status: response.status, body }
}

const namespace = () => bucketId.toLowerCase().replaceAll(/[.-]/g, '_')

/** The rows of a table as an engine finds them that knows the catalog, a token, and nothing else. */
const rowsOfEngine = async (table: string): Promise<unknown[]> => {
  const { body } = await catalog(`namespaces/${namespace()}/tables/${table}`)
  const s3 = s3Of(body['storage-credentials'][0].config)
  try {
    const rows = await icebirdRows(readerOf(s3), body['metadata-location'])
    return rows.map(({ _timestamp, ...row }) => row)
  } finally {
    s3.destroy()
  }
}

const exported = async (tableId: string): Promise<unknown[]> => {
  const { results } = await target.job('POST', `tables/${tableId}/export-async`, {})
  const slices = await target.downloadSlices(results.file.id)
  const { columns } = (await target.call('GET', `tables/${tableId}`)).body
  return slices.flatMap(slice => parse(slice, { columns, skip_empty_lines: true }))
}

const sorted = (rows: unknown[]): string[] => rows.map(row => JSON.stringify(row)).toSorted()

describe('an engine', () => {
  it('finds a table in the catalog and reads it, cell by cell as an export has it', async () => {
    const create = async (name: string, csv: string, settings = {}) =>
      target.job('POST', `buckets/${bucketId}/tables-async`, {
        name,
        dataFileId: await target.upload(csv),
        ...settings,
      })
    const { results } = await create('Orders-v2', 'id,city\n1,Zürich\n2,"a ""b"",\nc"\n3,\n', {
      primaryKey: 'id',
    })
    const dataFileId = await target.upload('id,city\n2,Brno\n4,Oslo\n')
    await target.job('POST', `tables/${results.id}/import-async`, { dataFileId, incremental: 1 })
    await target.job('DELETE', `tables/${results.id}/rows?whereColumn=id&whereValues[]=1`)

    expect((await catalog('config')).body.endpoints).toContain('GET /v1/{prefix}/namespaces')
    expect((await catalog('namespaces')).body.namespaces).toContainEqual([namespace()])
    const { body: listed } = await catalog(`namespaces/${namespace()}/tables`)
    expect(listed.identifiers).toEqual([{ namespace: [namespace()], name: 'orders_v2' }])
    const alias = { sourceTable: results.id, name: 'shown', aliasFilter: { column: 'id', values: ['2'] } }
    expect((await target.call('POST', `buckets/${bucketId}/table-aliases`, alias)).status).toBe(201)
    // An engine reads files, which hold more rows than the filter of an alias lets through.
    expect((await catalog(`namespaces/${namespace()}/tables`)).body).toEqual(listed)
    expect((await catalog(`namespaces/${namespace()}/tables/shown`)).status).toBe(404)
    const rows = await rowsOfEngine('orders_v2')
    expect(rows).toHaveLength(3)
    expect(sorted(rows)).toEqual(sorted(await exported(results.id)))
  })
})
