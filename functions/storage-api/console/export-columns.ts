import { z } from 'zod'
import type { ApiClient } from './api-client.ts'

/** An export of rows without their time of load, which would be a column more. */
const exportJob = z.object({
  results: z.object({ file: z.object({ id: z.number() }) }),
  operationParams: z.object({
    export: z.object({ columns: z.array(z.string()), includeInternalTimestamp: z.literal(false) }),
  }),
})

/** The columns of a file, as the job that exported it says; none when that is another job. */
export const exportColumns = async (client: ApiClient, fileId: number, jobId = ''): Promise<string[]> => {
  if (!/^\d+$/.test(jobId)) return []
  const { data } = exportJob.safeParse(await client.get(`jobs/${jobId}`, z.unknown()))
  return data?.results.file.id === fileId ? data.operationParams.export.columns : []
}
