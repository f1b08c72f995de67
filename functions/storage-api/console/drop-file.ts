import type { z } from 'zod'
import { preparedFileBody } from '../../lib/wire/file-body.ts'
import { type JobBody, jobBody } from '../../lib/wire/job-body.ts'
import { isTableIdForLoad, parseTableId } from '../../lib/wire/storage-ids.ts'
import { type ApiClient, path, Refusal } from './api-client.ts'
import type { BrowserUpload, loadRequest, uploadRequest } from './drop-wire.ts'

/** Makes a file. Whoever has its address may write this one object for an hour. */
export const startUpload = async (
  client: ApiClient,
  { name, bytes }: z.output<typeof uploadRequest>,
): Promise<BrowserUpload> => {
  const asked = { name, sizeBytes: bytes, tags: ['console'] }
  const { id, uploadParams } = await client.send('POST', 'files/prepare', asked, preparedFileBody)
  return { fileId: id, url: uploadParams.url ?? '' }
}

/** Throws `Refusal` unless a load can make a table of this id. */
export const placeOfNewTable = (tableId: string): { bucketId: string; name: string } => {
  const place = isTableIdForLoad(tableId) ? parseTableId(tableId) : undefined
  if (place) return place
  throw new Refusal(400, 'Name the table like out.c-main.by-city.')
}

/** Loads a file into a table, which is made with its bucket when it is missing. */
export const startLoad = async (
  client: ApiClient,
  { tableId, fileId, ...load }: Pick<z.output<typeof loadRequest>, 'tableId' | 'fileId'> & object,
): Promise<JobBody> => {
  const { bucketId, name } = placeOfNewTable(tableId)
  const body = { ...load, name, dataFileId: fileId, ifExists: 'load' }
  const start = () => client.send('POST', path`buckets/${bucketId}/tables-async`, body, jobBody)
  try {
    return await start()
  } catch (error) {
    if (!(error instanceof Refusal) || error.status !== 404) throw error
    const [stage, ofBucket = ''] = bucketId.split('.')
    await client.send('POST', 'buckets', { stage, name: ofBucket.replace(/^c-/, '') })
    return start()
  }
}
