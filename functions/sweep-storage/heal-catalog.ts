import { isFinal } from '../lib/storage/jobs/job-record.ts'
import { everyBucket } from './every-bucket.ts'
import type { SweepPage } from './page.ts'
import type { SweepServices } from './services.ts'

/** `merge_12`, `staging_12`: tables of the load of a job, which live as long as the job. */
const ofJob = /^(?:merge|staging)_(\d{1,16})$/

/**
 * Brings the Glue Data Catalog to the heads of the tables: moves the pointers that a crash left behind, and drops tables
 * that nobody needs any more. Sweeps tables of the catalog, all in one page. A table that fails is logged, and the next
 * sweep tries again.
 */
export const healCatalog: SweepPage = async services => {
  const { catalog, log } = services
  if (!catalog) return { swept: 0 }
  // Before the heads: a table that is registered meanwhile is not among them.
  const found: string[] = []
  for await (const { name } of catalog.list()) found.push(name)
  const registered = new Set<string>()
  for (const { bucketId, tables } of await everyBucket(services))
    for (const table of await tables.listInBucket(bucketId)) {
      if (table.glueName === undefined) continue
      registered.add(table.glueName)
      await tables
        .followInCatalog(table)
        .catch(error => log.error('catalog not healed', { glueName: table.glueName, error }))
    }
  let swept = 0
  for (const name of found) {
    if (registered.has(name) || (await isNeeded(name, services))) continue
    await catalog.drop(name)
    swept++
  }
  return { swept }
}

/** A name that we do not give is somebody's own table. */
const isNeeded = async (name: string, { jobs }: SweepServices): Promise<boolean> => {
  const [, jobId] = ofJob.exec(name) ?? []
  if (jobId === undefined) return !/__.*_\d+$/.test(name)
  const job = await jobs.get(Number(jobId))
  return job !== undefined && !isFinal(job)
}
