import { expect, it } from 'vitest'
import { pollOf } from '#functions/poll-job/poll-job.ts'
import { runJob } from '#functions/run-job/run-job.ts'
import { accepted } from '#functions/storage-api/http/reply.ts'
import { acceptJob, jobReply, type NewJob } from '#functions/storage-api/jobs/submit-job.ts'
import type { StartJob } from '#lib/storage/jobs/start-next.ts'
import { PREFER_NO_WAIT } from '#lib/storage-client/prefer-header.ts'
import { waitSecondsAt } from '#lib/storage-client/wait-seconds-at.ts'
import { jobSchema } from '#lib/storage-client/wire.ts'
import { withFiles } from '#lib/table-engine/files/snapshot.ts'
import type { TableEngine } from '#lib/table-engine/table-engine.ts'
import { createSimulatedTime } from '../../support/simulated-time.ts'
import { startStorageService } from '../../support/storage-service.ts'
import { isThorough } from '../../support/thorough.ts'

const FILES = isThorough ? 10_000 : 2_000
const FILES_A_SECOND = 1_000
const SECOND_MS = 1_000

/** What the cloud takes, generously: an execution starts, a request is answered, a load begins, and each file of it. */
const START_MS = 300
const REQUEST_MS = 100
const LOAD_MS = 2_000
const FILE_OF_LOAD_MS = 30

const time = createSimulatedTime(new Date('2026-11-22T00:00:00Z'))

/** Takes the time of a load and adds as many rows as there are files. */
const simulatedEngine = (engine: TableEngine): TableEngine => ({
  ...engine,
  loadTogether: async ({ current, sources, keyPrefix }) => {
    await time.sleep(LOAD_MS + sources.length * FILE_OF_LOAD_MS)
    const rows = sources.length
    const file = { key: `${keyPrefix}part.parquet`, rows, bytes: 1_000, statistics: {} }
    return {
      snapshot: withFiles(current, [...current.files, file]),
      loads: sources.map(() => ({
        importedColumns: ['n'],
        importedRowsCount: 1,
        replacedRowsCount: 0,
        renamed: [],
        warnings: [],
        inBytes: 4,
        isCompressed: false,
      })),
      bytesRead: 0,
    }
  },
  load: async ({ current, source, ...request }) => {
    if (!current) return engine.load({ current, source, ...request })
    const together = await simulatedEngine(engine).loadTogether({ ...request, current, sources: [source] })
    const [own] = together.loads
    if (!own || 'refusal' in own) throw new Error('A simulated load succeeds')
    return { ...together, ...own }
  },
})

it(`${FILES} files that land in one table, 1,000 a second, are there in minutes, with few steps each`, async () => {
  const count = { transitions: 0, invocations: 0 }
  const started = new Set<number>()
  /** The job machine: infra/job-machine.ts. */
  const executeJob = async (jobId: number): Promise<void> => {
    await time.sleep(START_MS)
    for (;;) {
      count.invocations += 1
      const result = await runJob({ jobId }, service.jobServices)
      count.transitions += 3 // RunJob, MustWait, and JobDone or WaitForTable.
      if (result.status !== 'blocked') return
      await time.sleep(result.waitSeconds * SECOND_MS)
    }
  }
  const startJob: StartJob = async jobId => {
    if (!started.has(jobId)) time.spawn(() => executeJob(jobId))
    started.add(jobId)
    return 'running'
  }
  const service = await startStorageService({
    now: time.now,
    engine: simulatedEngine,
    startJob,
  })
  try {
    const bucketId = await service.createBucket('main')
    const fileId = await service.upload('n\n1\n')
    time.spawn(async () => {
      const body = { name: 't', dataFileId: fileId }
      const path = `/v2/storage/buckets/${bucketId}/tables-async`
      await service.call('POST', path, body, PREFER_NO_WAIT)
    })
    await time.run()
    const tableId = `${bucketId}.t`
    // Of one file there is one head. The load model counts requests to S3.
    let head: unknown
    service.s3.middlewareStack.add(
      (next, { commandName }) =>
        async args => {
          if (commandName !== 'HeadObjectCommand') return next(args)
          head ??= await next(args)
          return head as Awaited<ReturnType<typeof next>> // The reply to the first one.
        },
      { step: 'initialize' },
    )
    Object.assign(count, { transitions: 0, invocations: 0 })

    const { jobServices } = service
    const services = { ...jobServices, jobWait: { limitMs: 0, pauseMs: () => 0, sleep: time.sleep } }
    const raw = new Request('http://storage.test', { headers: PREFER_NO_WAIT })
    const load: NewJob = {
      input: {
        operationName: 'tableImport',
        tableId,
        fileId,
        csv: { delimiter: ',', enclosure: '"', escapedBy: '' },
        incremental: true,
      },
      admit: async () => ({ source: { type: 'file', fileId } }),
    }
    const submitter = {
      // As `authenticate` makes it of the stack's own token.
      caller: {
        tokenId: '42',
        description: 'Master token',
        masterId: '1',
        isMaster: true,
        canManageBuckets: true,
        canReadAllFileUploads: true,
        canPurgeTrash: true,
        bucketPermissions: {},
        componentAccess: [],
        token: undefined,
      },
      runId: null,
      idempotencyKey: undefined,
      sent: load.input,
      baseUrl: 'http://storage.test',
      branchId: 1,
      raw,
      passedOver: [],
    }
    const read = async (response: Response) => ({
      ...jobSchema.parse(await response.json()),
      retryAfterSeconds: Number(response.headers.get('Retry-After') ?? 0),
    })
    const ends: number[] = []
    /** The import machine: infra/import-machine.ts. */
    const importFile = async (): Promise<void> => {
      const since = time.elapsedSeconds()
      await time.sleep(START_MS + REQUEST_MS)
      count.invocations += 1
      count.transitions += 3 // Start, HasStarted, LetJobRun.
      const { id } = await acceptJob(submitter, services, load)
      const job = await service.stores.jobs.get(id)
      if (!job) throw new Error('An accepted job is there')
      const reply = await read(await jobReply(job, submitter, services, accepted))
      await time.sleep(waitSecondsAt(0, reply.retryAfterSeconds) * SECOND_MS)
      for (;;) {
        await time.sleep(REQUEST_MS)
        count.invocations += 1
        count.transitions += 3 // Poll, HasEnded, and WaitForJob or Imported.
        const current = await service.stores.jobs.get(id)
        if (!current) throw new Error('An accepted job stays')
        const polled = await read(await jobReply(current, submitter, services, accepted))
        const poll = pollOf(polled, time.elapsedSeconds() - since)
        if (poll.isFinished) {
          expect(poll.status).toBe('success')
          ends.push(time.elapsedSeconds())
          return
        }
        await time.sleep(poll.waitSeconds * SECOND_MS)
      }
    }
    time.spawn(async () => {
      for (let file = 0; file < FILES; file++) {
        time.spawn(importFile)
        if (file % 100 === 99) await time.sleep((100 * SECOND_MS) / FILES_A_SECOND)
      }
    })
    const before = time.elapsedSeconds()
    await time.run()

    const table = await service.stores.tables.getHead(tableId)
    const last = await service.stores.jobs.list().next()
    const lastLoaded = last.value && 'endTime' in last.value ? Date.parse(last.value.endTime) / 1000 : 0
    const minutes = (lastLoaded - Date.parse('2026-11-22T00:00:00Z') / 1000 - before) / 60
    const figures = {
      minutes,
      transitions: count.transitions / FILES,
      invocations: count.invocations / FILES,
      jobExecutions: started.size,
      noticed: Math.max(...ends) / 60,
    }
    expect(table?.snapshot.rowsCount).toBe(FILES + 1)
    expect(ends).toHaveLength(FILES)
    expect(figures.minutes).toBeLessThan(15)
    expect(figures.transitions).toBeLessThanOrEqual(12)
    expect(figures.invocations).toBeLessThanOrEqual(3)
    expect(service.logged).toEqual([])
  } finally {
    await service.close()
  }
})
