import { expect } from 'vitest'
import { connectTarget } from './target.ts'

/** What clients do with typed tables, in a bucket of its own. */
export const startTypedTables = async () => {
  const target = await connectTarget()
  const bucketId = await target.createBucket('typed')
  let tables = 0

  const define = (body: Record<string, unknown>) =>
    target.job('POST', `buckets/${bucketId}/tables-definition`, { name: `t${++tables}`, ...body })
  const table = async (columns: unknown[], primaryKeysNames: string[] = []): Promise<string> => {
    const job = await define({ columns, primaryKeysNames })
    expect(job).toMatchObject({ status: 'success', operationName: 'tableDefinitionCreate' })
    return job.results.id
  }
  const load = async (tableId: string, content: string | string[], settings: Record<string, unknown> = {}) =>
    target.job('POST', `tables/${tableId}/import-async`, {
      dataFileId: await target.upload(content),
      ...settings,
    })
  const loaded = async (tableId: string, content: string, settings: Record<string, unknown> = {}) =>
    expect(await load(tableId, content, settings)).toMatchObject({ status: 'success' })
  const detail = async (tableId: string) => (await target.call('GET', `tables/${tableId}`)).body
  const preview = async (tableId: string, query = ''): Promise<string[]> =>
    (await target.call('GET', `tables/${tableId}/data-preview?${query}`)).text.split('\n').slice(1, -1)

  return { target, bucketId, define, table, load, loaded, detail, preview }
}

export type TypedTables = Awaited<ReturnType<typeof startTypedTables>>

export const column = (name: string, type: string, more: Record<string, unknown> = {}) => ({
  name,
  definition: { type, ...more },
})

export const everyType = [
  { name: 'id', basetype: 'INTEGER' },
  column('small', 'DECIMAL', { length: '4,3' }),
  { name: 'amount', basetype: 'NUMERIC' },
  { name: 'rate', basetype: 'FLOAT' },
  { name: 'ok', basetype: 'BOOLEAN' },
  { name: 'day', basetype: 'DATE' },
  { name: 'at', basetype: 'TIMESTAMP' },
  column('seen', 'TIMESTAMP_TZ'),
  column('clock', 'TIME'),
  { name: 'note', basetype: 'STRING' },
]
