import type { GlueCatalog } from '../lib/iceberg/glue/glue-catalog.ts'
import { isFinal } from '../lib/storage/jobs/job-record.ts'
import { everyBucket } from './every-bucket.ts'
import type { SweepPage, SweepServices, SweptPage } from './page.ts'

/** `merge_12`, `staging_12`: tables of the load of a job, which live as long as the job. */
const ofJob = /^(?:merge|staging)_(\d{1,16})$/

/** First tables are healed, bucket by bucket, then others dropped by name. A place is the phase and the last of its page. */
const HEAL = 'heal/'
const DROP = 'drop/'

/**
 * Brings the Glue Data Catalog to the heads of the tables: moves the pointers that a crash left behind, and drops tables
 * that nobody needs any more. Sweeps tables of the catalog. A table that fails is logged, and the next sweep tries again.
 */
export const healCatalog: SweepPage = async (services, after = HEAL) => {
  const { catalog } = services
  if (!catalog) return { swept: 0 }
  return after.startsWith(DROP)
    ? dropUnneeded(catalog, services, after.slice(DROP.length))
    : healTables(services, after.slice(HEAL.length))
}

/** `after`: branch, bucket and name of a table. When the bucket is gone, it begins from the start. */
const healTables = async (services: SweepServices, after: string): Promise<SweptPage> => {
  const { log, pageSizes } = services
  const [branch, bucket, name] = after.split('/')
  const all = await everyBucket(services)
  const start = all.findIndex(({ branchId, bucketId }) => `${branchId}` === branch && bucketId === bucket)
  let seen = 0
  for (const [index, { branchId, bucketId, tables }] of all.slice(Math.max(start, 0)).entries())
    for await (const table of tables.headsInBucket(
      bucketId,
      start !== -1 && index === 0 ? name : undefined,
    )) {
      if (table.glueName === undefined) continue
      await tables
        .followInCatalog(table)
        .catch(error => log.error('catalog not healed', { glueName: table.glueName, error }))
      if (++seen === pageSizes.catalog)
        return { swept: 0, next: `${HEAL}${branchId}/${bucketId}/${table.name}` }
    }
  return { swept: 0, next: DROP }
}

/** Drops what comes after this name. The heads are read after the names: a table that is registered meanwhile is not among these. */
const dropUnneeded = async (
  catalog: GlueCatalog,
  services: SweepServices,
  after: string,
): Promise<SweptPage> => {
  const found: string[] = []
  for await (const { name } of catalog.list()) if (name > after) found.push(name)
  const registered = new Set<string>()
  for (const { bucketId, tables } of await everyBucket(services))
    for await (const name of tables.glueNamesInBucket(bucketId)) registered.add(name)
  let swept = 0
  for (const name of found.sort()) {
    if (registered.has(name) || (await isNeeded(name, services))) continue
    await catalog.drop(name)
    if (++swept === services.pageSizes.catalog) return { swept, next: `${DROP}${name}` }
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
