import { pollOf } from '#functions/poll-job/handler.ts'
import { runJob } from '#functions/run-job/run-job.ts'
import { accepted } from '#functions/storage-api/http/reply.ts'
import { acceptJob, jobReply, type NewJob } from '#functions/storage-api/jobs/submit-job.ts'
import type { ItemTable } from '#lib/items/item-table.ts'
import type { StartJob } from '#lib/storage/jobs/start-next.ts'
import { PREFER_NO_WAIT } from '#lib/storage-client/prefer-header.ts'
import { waitSecondsAt } from '#lib/storage-client/wait-seconds-at.ts'
import { jobSchema } from '#lib/storage-client/wire.ts'
import { withFiles } from '#lib/table-engine/files/snapshot.ts'
import type { TableEngine } from '#lib/table-engine/table-engine.ts'
import type { createSimulatedTime } from './simulated-time.ts'
import { startStorageService } from './storage-service.ts'

const SECOND_MS = 1_000

/** What the cloud takes, generously: an execution starts, a request is answered, a load begins, and each file of it. */
const START_MS = 300
const REQUEST_MS = 100
const LOAD_MS = 2_000
const FILE_OF_LOAD_MS = 30

type SimulatedTime = ReturnType<typeof createSimulatedTime>

/** Takes the time of a load and adds as many rows as there are files. */
const simulatedEngine = (time: SimulatedTime, engine: TableEngine): TableEngine => ({
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
    const together = await simulatedEngine(time, engine).loadTogether({
      ...request,
      current,
      sources: [source],
    })
    const [own] = together.loads
    if (!own || 'refusal' in own) throw new Error('A simulated load succeeds')
    return { ...together, ...own }
  },
})

interface Flood {
  files: number
  /** They land in turn. */
  tables: number
  filesASecond: number
  items?: (items: ItemTable) => ItemTable
  /** Is on while the files land. */
  model?: { isOn: boolean }
}

/** Files land in tables, and machines, functions and polls take simulated time; all else is the real code. */
export const simulateImports = async (
  time: SimulatedTime,
  { files, tables, filesASecond, items = all => all, model = { isOn: false } }: Flood,
) => {
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
  const startJob: StartJob = async ({ id: jobId }) => {
    if (!started.has(jobId)) time.spawn(() => executeJob(jobId))
    started.add(jobId)
    return 'running'
  }
  const service = await startStorageService({
    now: time.now,
    engine: engine => simulatedEngine(time, engine),
    startJob,
    items,
  })
  try {
    const bucketId = await service.createBucket('main')
    const fileId = await service.upload('n\n1\n')
    const names = Array.from({ length: tables }, (_, index) => `t${index}`)
    time.spawn(async () => {
      const path = `/v2/storage/buckets/${bucketId}/tables-async`
      for (const name of names) await service.call('POST', path, { name, dataFileId: fileId }, PREFER_NO_WAIT)
    })
    await time.run()
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
    model.isOn = true

    const { jobServices } = service
    const services = { ...jobServices, jobWait: { limitMs: 0, pauseMs: () => 0, sleep: time.sleep } }
    const raw = new Request('http://storage.test', { headers: PREFER_NO_WAIT })
    const loadInto = (tableId: string): NewJob => ({
      input: {
        operationName: 'tableImport',
        tableId,
        fileId,
        csv: { delimiter: ',', enclosure: '"', escapedBy: '' },
        incremental: true,
      },
      admit: async () => ({ source: { type: 'file', fileId } }),
    })
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
      sent: {},
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
    const statuses: Record<string, number> = {}
    let slowestAcceptance = 0
    /** The import machine: infra/import-machine.ts. */
    const importFile = async (file: number): Promise<void> => {
      const since = time.elapsedSeconds()
      await time.sleep(START_MS + REQUEST_MS)
      count.invocations += 1
      count.transitions += 3 // Start, HasStarted, LetJobRun.
      const asked = time.elapsedSeconds()
      const { job, isInFront } = await acceptJob(
        submitter,
        services,
        loadInto(`${bucketId}.${names[file % tables]}`),
      )
      slowestAcceptance = Math.max(slowestAcceptance, time.elapsedSeconds() - asked)
      const reply = await read(await jobReply(job, submitter, services, accepted, isInFront))
      await time.sleep(waitSecondsAt(0, reply.retryAfterSeconds) * SECOND_MS)
      for (;;) {
        await time.sleep(REQUEST_MS)
        count.invocations += 1
        count.transitions += 3 // Poll, HasEnded, and WaitForJob or Imported.
        const current = await service.stores.jobs.get(job.id)
        if (!current) throw new Error('An accepted job stays')
        const polled = await read(await jobReply(current, submitter, services, accepted))
        const poll = pollOf(polled, time.elapsedSeconds() - since)
        if (poll.isFinished) {
          statuses[poll.status] = (statuses[poll.status] ?? 0) + 1
          ends.push(time.elapsedSeconds())
          return
        }
        await time.sleep(poll.waitSeconds * SECOND_MS)
      }
    }
    time.spawn(async () => {
      for (let file = 0; file < files; file++) {
        time.spawn(() => importFile(file))
        if (file % 100 === 99 && Number.isFinite(filesASecond))
          await time.sleep((100 * SECOND_MS) / filesASecond)
      }
    })
    const before = time.elapsedSeconds()
    await time.run()
    model.isOn = false

    let rows = 0
    for (const name of names)
      rows += (await service.stores.tables.getHead(`${bucketId}.${name}`))?.snapshot.rowsCount ?? 0
    const last = await service.stores.jobs.list().next()
    const lastLoaded =
      last.value && 'endTime' in last.value
        ? (Date.parse(last.value.endTime) - time.now().getTime()) / SECOND_MS + time.elapsedSeconds()
        : 0
    return {
      minutes: (lastLoaded - before) / 60,
      transitions: count.transitions / files,
      invocations: count.invocations / files,
      jobExecutions: started.size,
      noticed: (Math.max(...ends) - before) / 60,
      slowestAcceptance,
      rows,
      statuses,
      logged: service.logged,
    }
  } finally {
    await service.close()
  }
}
