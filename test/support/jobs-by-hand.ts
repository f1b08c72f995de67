import type { ItemTable } from '../../functions/lib/items/item-table.ts'
import type { LoadRequest } from '../../functions/lib/table-engine/files/load-request.ts'
import type { TableEngine } from '../../functions/lib/table-engine/table-engine.ts'
import { type RunJobResult, runJob } from '../../functions/run-job/run-job.ts'
import { executeJob } from './execute-job.ts'
import { withStorage } from './storage-service.ts'

/** Thrown where a process would have died. */
export class Crash extends Error {}

/** A storage service whose jobs the test runs itself, with a clock that it sets and crashes where it wants them. */
export const startJobsByHand = async () => {
  const clock = { time: new Date('2026-07-16T00:00:00Z') }
  const faults = {
    /** The process dies right after this many writes of items. */
    writesLeft: Number.POSITIVE_INFINITY,
    /** Called when the files of a load are written and the head of the table has not moved yet. */
    duringLoad: async (_load: Pick<LoadRequest, 'onRows'>): Promise<void> => {},
  }
  const service = await withStorage({
    isRunningJobs: false,
    jobWaitMs: 0,
    items: items => dyingItems(items, faults),
    engine: engine => interruptedEngine(engine, faults),
    now: () => clock.time,
  })
  const bucketId = await service.createBucket('main')
  let tables = 0

  const newName = () => `t${++tables}`
  const run = (jobId: number): Promise<RunJobResult> => runJob({ jobId }, service.jobServices)
  const execute = (jobId: number): Promise<void> => executeJob(jobId, service.jobServices)

  const submitCreate = async (name: string, content: string): Promise<number> => {
    const dataFileId = await service.upload(content)
    const path = `/v2/storage/buckets/${bucketId}/tables-async`
    return (await service.call('POST', path, { name, dataFileId })).body.id
  }

  return {
    service,
    bucketId,
    clock,
    faults,
    newName,
    /** One run of a job. */
    run,
    /** Runs a job to its end, as the machine does. */
    execute,
    /** Accepts a job; resolves to its id. */
    submitCreate,

    /** Accepts a job that appends the file's rows; resolves to its id. */
    async submitImport(tableId: string, content: string): Promise<number> {
      const dataFileId = await service.upload(content)
      const path = `/v2/storage/tables/${tableId}/import-async`
      return (await service.call('POST', path, { dataFileId, incremental: 1 })).body.id
    },

    jobOf: async (jobId: number) => (await service.call('GET', `/v2/storage/jobs/${jobId}`)).body,

    /** A table with the row 0 in its column n; its id. */
    async createTable(): Promise<string> {
      const name = newName()
      await execute(await submitCreate(name, 'n\n0\n'))
      return `${bucketId}.${name}`
    },

    /** In the order of the table. */
    async rowsOf(tableId: string): Promise<string[]> {
      const { text } = await service.call('GET', `/v2/storage/tables/${tableId}/data-preview`)
      return text.trimEnd().split('\n').slice(1)
    },
  }
}

const dyingItems = (items: ItemTable, faults: { writesLeft: number }): ItemTable => {
  const dieAfter = async <Result>(write: Promise<Result>): Promise<Result> => {
    const result = await write
    if (--faults.writesLeft === 0) throw new Crash()
    return result
  }
  return {
    ...items,
    put: (...parameters) => dieAfter(items.put(...parameters)),
    putAll: (...parameters) => dieAfter(items.putAll(...parameters)),
    swap: (...parameters) => dieAfter(items.swap(...parameters)),
    transact: (...parameters) => dieAfter(items.transact(...parameters)),
    update: (...parameters) => dieAfter(items.update(...parameters)),
    delete: (...parameters) => dieAfter(items.delete(...parameters)),
  }
}

const interruptedEngine = (
  engine: TableEngine,
  faults: { duringLoad: (load: Pick<LoadRequest, 'onRows'>) => Promise<void> },
): TableEngine => {
  const interrupted = async <Result>(
    loading: Promise<Result>,
    load: Pick<LoadRequest, 'onRows'> = {},
  ): Promise<Result> => {
    const result = await loading
    await faults.duringLoad(load)
    return result
  }
  return {
    ...engine,
    load: request => interrupted(engine.load(request), request),
    loadTogether: request => interrupted(engine.loadTogether(request)),
  }
}
