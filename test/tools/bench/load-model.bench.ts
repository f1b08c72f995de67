import type { RunJobResult } from '#functions/run-job/run-job.ts'
import { runJob } from '#functions/run-job/run-job.ts'
import type { ItemStore } from '#lib/items/item-table.ts'
import type { LandedObject } from '#lib/landed-object.ts'
import { startImport } from '#support/told-import.ts'
import { startLanding } from '../../support/landing.ts'
import { startStorageService } from '../../support/storage-service.ts'
import { partitionsOf } from '../../support/within-rights.ts'
import { figure } from './figure.ts'

/**
 * What one import calls, by service: the real functions against real stores that are counted. Files that land one after
 * the other, and files that land in one table at once. docs/limits.md has what 1,000 a second need.
 */
const ALONE = 20
const AT_ONCE = 200

/** The only part of an AWS client that is used here; its types differ from client to client. */
interface CountedClient {
  // biome-ignore lint/suspicious/noExplicitAny: see above
  middlewareStack: { add: (middleware: any, options: any) => void }
}

const READS = /^(?:Get|BatchGet|Query|Head|List|Describe)/

const counts = new Map<string, number>()
const count = (name: string, by = 1): void => void counts.set(name, (counts.get(name) ?? 0) + by)

const ITEMS = 'DynamoDB'

/** Requests by partition key: one takes so many a second, whatever the table takes. */
const atPartition = new Map<string, number>()
const countAt = (name: string): void => void atPartition.set(name, (atPartition.get(name) ?? 0) + 1)

/** The partitions that are read and written most. */
const reportBusiest = (of: string, files: number): void => {
  for (const kind of ['reads', 'writes']) {
    const busiest = [...atPartition]
      .filter(([name]) => name.startsWith(kind))
      .toSorted(([, one], [, other]) => other - one)
    for (const [name, value] of busiest.slice(0, 3))
      console.log(JSON.stringify(figure(`load model, ${of}: ${name} an import`, 'items', value / files)))
  }
  atPartition.clear()
}

const countS3 = ({ middlewareStack }: CountedClient): void =>
  middlewareStack.add(
    (next: (args: unknown) => Promise<unknown>, { commandName = '' }: { commandName?: string }) =>
      (args: unknown) => {
        count(`S3 ${READS.test(commandName) ? 'reads' : 'writes'}`)
        return next(args)
      },
    { step: 'initialize' },
  )

const countItems = (store: ItemStore): void => {
  for (const [name, send] of Object.entries(store)) {
    const kind = ['get', 'getMany', 'page'].includes(name) ? 'reads' : 'writes'
    Object.assign(store, {
      [name]: (...given: unknown[]): unknown => {
        count(`${ITEMS} ${kind}`)
        for (const pk of partitionsOf(given[0])) countAt(`${kind} of ${pk}`)
        return send(...given)
      },
    })
  }
}

const started: number[] = []
const service = await startStorageService({
  jobWaitMs: 0,
  startJob: async ({ id: jobId }) => {
    if (!started.includes(jobId)) started.push(jobId)
    return 'running'
  },
})
const landing = await startLanding({
  service,
  fetch: request => {
    count('invocations of the API')
    return service.app.fetch(request)
  },
  records: table => ({
    ...table,
    get: (...given) => {
      count('DynamoDB (hook) reads')
      return table.get(...given)
    },
    put: (...given) => {
      count('DynamoDB (hook) writes')
      return table.put(...given)
    },
    update: (...given) => {
      count('DynamoDB (hook) writes')
      return table.update(...given)
    },
  }),
})

/** start-import, until it has begun: the states Start, HasStarted and LetJobRun. */
const accept = async (object: LandedObject): Promise<number> => {
  count('transitions', 3)
  count('invocations of steps')
  const result = await startImport(landing.dependencies, { event: object, execution: landing.newExecution() })
  if (result.outcome !== 'started' || result.jobId === undefined)
    throw new Error(`The import is ${result.outcome}`)
  return result.jobId
}

/** run-job for each job that was started: the states RunJob, MustWait and JobDone. */
const runStarted = async (): Promise<void> => {
  for (let jobId = started.shift(); jobId !== undefined; jobId = started.shift()) {
    count('transitions', 3)
    count('invocations of steps')
    const { status }: RunJobResult = await runJob({ jobId }, service.jobServices)
    if (status !== 'done') throw new Error(`The job is ${status}`)
  }
}

/** poll-job, once: the states Poll, HasEnded and Imported. */
const poll = async (jobId: number): Promise<void> => {
  count('transitions', 3)
  count('invocations of steps')
  const { status } = await landing.storage.job(jobId)
  if (status !== 'success') throw new Error(`The job is ${status}`)
}

const land = (table: string, file: number): Promise<LandedObject> =>
  landing.land(`in.c-model/${table}/${file}.csv`, `id,v\n${file},a\n`, { incremental: '1' })

const report = (of: string, files: number): void => {
  for (const [name, value] of [...counts].sort(([one], [other]) => one.localeCompare(other)))
    console.log(JSON.stringify(figure(`load model, ${of}: ${name} an import`, 'calls', value / files)))
  counts.clear()
  reportBusiest(of, files)
}

try {
  for (const table of ['alone', 'together']) {
    const jobId = await accept(await land(table, 0))
    await runStarted()
    await poll(jobId)
  }
  countS3(service.s3)
  countItems(service.itemStore)
  counts.clear()

  for (let file = 1; file <= ALONE; file++) {
    const object = await land('alone', file)
    count('S3 writes', -1) // The upload itself.
    const jobId = await accept(object)
    await runStarted()
    await poll(jobId)
  }
  report('one after the other', ALONE)

  const objects: LandedObject[] = []
  for (let file = 1; file <= AT_ONCE; file++) objects.push(await land('together', file))
  counts.clear()
  atPartition.clear()
  const jobIds: number[] = []
  for (const object of objects) jobIds.push(await accept(object))
  await runStarted()
  for (const jobId of jobIds) await poll(jobId)
  report(`${AT_ONCE} at once`, AT_ONCE)
} finally {
  await landing.close()
  await service.close()
}
