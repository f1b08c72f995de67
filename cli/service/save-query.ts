import * as z from 'zod/mini'
import { queryFileBody } from '../../functions/lib/wire/query-body.ts'
import { bucketToMake, savesAsTable } from '../../functions/lib/wire/saved-query.ts'
import { doJob } from './do-job.ts'
import type { ServiceCall } from './on-service.ts'

interface SavedQuery {
  sql: string
  saveAs: string
  detectTypes?: boolean
}

const named = z.object({ id: z.string() })

/** Keeps the result of a query as a table, with the rights of the token. The file between is deleted when the load has ended. */
export const saveQuery = async (
  { sql, saveAs, detectTypes = false }: SavedQuery,
  call: ServiceCall,
): Promise<number | undefined> => {
  const { api } = call
  const bucketIds = (await api.get('buckets', z.array(named))).map(({ id }) => id)
  const bucket = bucketToMake(saveAs, bucketIds) // A wrong name is said before the query runs.
  if (bucket) await api.send('POST', bucket.path, named, bucket.body)
  const known = (await api.get('tables?include=', z.array(named))).map(({ id }) => id)
  const { file } = await api.send('POST', 'query', queryFileBody, { sql, detectTypes, format: 'parquet' })
  const { path, body } = savesAsTable(saveAs, file.id, known)
  try {
    return await doJob(call, 'POST', path, body)
  } finally {
    await api.send('DELETE', `files/${file.id}`, z.unknown())
  }
}
