import { withStorage } from './storage-service.ts'

/** A storage service with one bucket, and the requests that tests of tables are made of. */
export const startTableRoutes = async () => {
  const service = await withStorage()
  const bucketId = await service.createBucket('main')
  let tables = 0

  return {
    service,
    bucketId,

    /** A unique name. */
    newName: () => `t${++tables}`,

    create: (body: Record<string, unknown>) =>
      service.call('POST', `/v2/storage/buckets/${bucketId}/tables-async`, body),

    load: (tableId: string, body: Record<string, unknown>) =>
      service.call('POST', `/v2/storage/tables/${tableId}/import-async`, body),

    query: (body: object, token = service.token) =>
      service.call('POST', '/v2/storage/query', body, { 'X-StorageApi-Token': token }),

    tokenFor: async (bucketPermissions: Record<string, string>): Promise<string> =>
      (await service.call('POST', '/v2/storage/tokens', { bucketPermissions })).body.token,

    detail: async (tableId: string) => (await service.call('GET', `/v2/storage/tables/${tableId}`)).body,

    /** The lines of the preview without its header, sorted. */
    async rowsOf(tableId: string): Promise<string[]> {
      const { text } = await service.call('GET', `/v2/storage/tables/${tableId}/data-preview`)
      const [, ...rows] = text.trimEnd().split('\n')
      return rows.toSorted()
    },
  }
}
