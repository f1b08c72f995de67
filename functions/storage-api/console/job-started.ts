import { jobBody } from '../../lib/wire/job-body.ts'
import type { ApiClient } from './api-client.ts'
import { jobPath } from './links.tsx'
import type { Built, Said } from './route.ts'

/** Sends what becomes a job, and leads to its page. */
export const asJob = async (
  client: ApiClient,
  method: 'POST' | 'PUT' | 'DELETE',
  at: string,
  body: Record<string, unknown> = {},
  said?: Said,
): Promise<Built> => {
  const job = await client.send(method, at, body, jobBody)
  return { redirect: jobPath(job.id), said }
}
