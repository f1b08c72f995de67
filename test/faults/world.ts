import { CreateBucketCommand, ListObjectsV2Command } from '@aws-sdk/client-s3'
import { runJob } from '#functions/run-job/run-job.ts'
import { createTransfer } from '#functions/start-import/transfer.ts'
import { startOpenJobs } from '#functions/tick/open-jobs.ts'
import type { ItemTable } from '#lib/items/item-table.ts'
import { startExtraction } from '#support/extraction.ts'
import { startLanding } from '#support/landing.ts'
import { s3WithAt } from '#support/s3-with.ts'
import { doSideBySide } from '#support/side-by-side.ts'
import { startStorageService } from '#support/storage-service.ts'
import { sweepService } from '#support/sweep-all.ts'
import { byteDifferences, jobDifferences, type Row } from './model.ts'
import { createSeam, ReplyLost, type Seam } from './seam.ts'

/** Where exports go, and the export machine keeps what it works with. */
export const EXPORTS = 'exports'

const JSON_BODY = { 'content-type': 'application/json' }
const DAY_MS = 86_400_000
/** A job that failed so often is given up by its machine. */
const JOB_ATTEMPTS = 6

/**
 * The whole service in this process, each call to S3, to the item table, to the executions and to the storage API
 * through one seam. Nothing runs by itself: a job goes on when somebody looks at one.
 */
export const startWorld = async () => {
  const seam = createSeam()
  const clock = { aheadMs: 0 }
  const now = () => new Date(Date.now() + clock.aheadMs)
  /** Executions of the job machine outlive every crash, as those of Step Functions do. */
  const open = new Map<number, { failures: number }>()
  const ended = new Set<number>()

  const service = await startStorageService({
    items: items => watchItems(seam, items),
    isRunningJobs: false,
    jobWaitMs: 0,
    now,
    startJob: ({ id: jobId }) =>
      seam.call('executions.start', jobId, async () => {
        if (ended.has(jobId)) return 'ended'
        if (!open.has(jobId)) open.set(jobId, { failures: 0 })
        return 'running'
      }),
  })

  const runOne = async (jobId: number, execution: { failures: number }): Promise<boolean> => {
    const isGivenUp = execution.failures >= JOB_ATTEMPTS
    const event = isGivenUp ? { jobId, failure: { Error: 'Error', Cause: 'failed too often' } } : { jobId }
    try {
      const result = await runJob(event, service.jobServices)
      if (result.status !== 'done') return await doSideBySide(jobId, result, service.jobServices)
    } catch (error) {
      if (seam.isDead) throw error
      execution.failures += 1
      return true
    }
    open.delete(jobId)
    ended.add(jobId)
    return true
  }

  /** Until each is over or waits for something else. */
  const runOpenJobs = async (): Promise<void> => {
    for (let hasMoved = true; hasMoved; ) {
      hasMoved = false
      for (const [jobId, execution] of [...open].sort(([one], [other]) => one - other))
        if (await runOne(jobId, execution)) hasMoved = true
    }
  }

  /** The storage API as clients reach it. Where the seam fails, they read 503 or half a body. */
  const fetch = async (request: Request): Promise<Response> => {
    const { pathname } = new URL(request.url)
    try {
      if (request.method === 'GET' && pathname.startsWith('/v2/storage/jobs/')) {
        await runOpenJobs()
        // Whoever waits does so until the clock has started what nobody did.
        if (open.size === 0) await startOpenJobs(service.jobServices)
        await runOpenJobs()
      }
      return await seam.call(`http ${request.method} ${pathname}`, request, async given =>
        service.app.fetch(given),
      )
    } catch (error) {
      if (error instanceof ReplyLost) return new Response('{"id":', { headers: JSON_BODY })
      return Response.json({ error: 'a fault', code: 'test.fault' }, { status: 503 })
    }
  }

  await service.s3.send(new CreateBucketCommand({ Bucket: EXPORTS }))
  const landing = await startLanding({
    service,
    fetch,
    records: plain => watchItems(seam, plain, 'records'),
  })
  const extraction = await startExtraction({ service, fetch })
  seam.watch('S3', service.s3)
  const plainS3With = s3WithAt(service.s3Endpoint)
  const s3With: typeof plainS3With = (region, credentials) =>
    seam.watch('S3', plainS3With(region, credentials))
  const transfer = createTransfer({
    s3: service.s3,
    ownFilesBucket: service.filesBucket,
    s3With,
  })

  const request = async (
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<{ status: number; body: unknown }> => {
    const response = await fetch(
      new Request(`http://storage.test/v2/storage${path}`, {
        method,
        headers: {
          'X-StorageApi-Token': service.token,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
    )
    const text = await response.text()
    return { status: response.status, body: text === '' ? undefined : JSON.parse(text) }
  }

  const listed = async (Bucket: string, Prefix: string): Promise<string[]> => {
    const { Contents = [] } = await service.s3.send(new ListObjectsV2Command({ Bucket, Prefix }))
    return Contents.map(({ Key = '' }) => Key)
  }
  const sweep = () => sweepService(service, now)

  return {
    seam,
    clock,
    service,
    landing,
    extraction,
    request,
    runOpenJobs,
    /** What the export machine keeps of its executions: the results of steps that are over. */
    finishedSteps: new Map<string, unknown>(),
    /** With these the hook moves bytes through the seam. */
    hook: { transfer, now },
    s3With,

    /** What the clock starts each minute: everything that somebody left behind goes on. */
    heal: async (): Promise<void> => {
      clock.aheadMs += 20 * 60_000
      await startOpenJobs({ ...service.jobServices, jobs: service.stores.jobs })
      await runOpenJobs()
    },

    /** Every row; `undefined` when there is no such table. */
    rowsOf: async (tableId: string): Promise<Row[] | undefined> => {
      const path = `/v2/storage/tables/${tableId}/data-preview?limit=1000`
      const { status, text } = await service.call('GET', path)
      if (status === 404) return undefined
      const [, ...lines] = text.trimEnd().replaceAll('"', '').split('\n')
      return lines.filter(line => line !== '').map(line => line.split(','))
    },

    /** Of the jobs and the bytes of tables, when all left-overs had their time to go. */
    leftOvers: async (): Promise<string[]> => {
      const jobs: { id: number; status: string }[] = []
      for await (const job of service.stores.jobs.list()) jobs.push(job)
      await sweep()
      clock.aheadMs += 2 * DAY_MS
      await sweep()
      const named = new Set<string>()
      for (const { id } of await service.stores.buckets.list())
        for await (const key of service.stores.tables.namedKeys(id)) named.add(key)
      return [
        ...jobDifferences(jobs),
        ...byteDifferences(await listed(service.tablesBucket, 'tables/'), named),
      ]
    },

    close: async (): Promise<void> => {
      seam.calm()
      await landing.close()
      await extraction.close()
      await service.close()
    },
  }
}

export type World = Awaited<ReturnType<typeof startWorld>>

/** The table with each of its calls through the seam; a query passes it once, when it is begun. */
const watchItems = (seam: Seam, items: ItemTable, name = 'items'): ItemTable => ({
  get: key => seam.call(`${name}.get`, key, items.get),
  getMany: keys => seam.call(`${name}.getMany`, keys, items.getMany),
  put: (key, attributes, when) =>
    seam.call(`${name}.put`, { key, attributes, when }, given =>
      items.put(given.key, given.attributes, given.when),
    ),
  swap: (key, attributes, when) =>
    seam.call(`${name}.swap`, { key, attributes, when }, given =>
      items.swap(given.key, given.attributes, given.when),
    ),
  update: (key, change, when) =>
    seam.call(`${name}.update`, { key, change, when }, given =>
      items.update(given.key, given.change, given.when),
    ),
  transact: writes => seam.call(`${name}.transact`, writes, items.transact),
  putAll: all => seam.call(`${name}.putAll`, all, items.putAll),
  delete: (key, when) =>
    seam.call(`${name}.delete`, { key, when }, given => items.delete(given.key, given.when)),
  async *query(pk, range) {
    yield* await seam.call(`${name}.query`, { pk, range }, async given => items.query(given.pk, given.range))
  },
})
