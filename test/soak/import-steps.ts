import { note, StepFailure } from './book.ts'
import { acknowledged, callApi, once, untilAcknowledged } from './client.ts'
import type { Attempt, Load, TableRow } from './model.ts'
import { appendRows, csvOf, isFullOf, keyedRows, markOf } from './rows.ts'
import type { Step } from './schedule.ts'
import type { StepContext } from './step-context.ts'
import { uploadBytes } from './upload.ts'

type ImportKind = 'importFull' | 'importAppend' | 'importKeyed'

interface Import {
  readonly table: string
  readonly incremental: boolean
  readonly rows: readonly TableRow[]
  readonly mark: string
  /** Notes the attempt before it is made. */
  readonly noted: (attempt: Load, fileId: number) => Attempt
}

/** A file, then one import of it. Retries carry the idempotency key, so however many are sent it is one load. */
const importRows = async (
  { cloud, book }: StepContext,
  step: Step,
  { table, incremental, rows, mark, noted }: Import,
): Promise<void> => {
  const fileId = await uploadBytes(cloud, Buffer.from(csvOf(rows)), { name: `${mark}.csv`, seed: step.seed })
  const load = noted({ mark, step: step.number, rows, isAcknowledged: false }, fileId)
  const call = {
    method: 'POST',
    path: `tables/${book.bucket}.${table}/import-async`,
    body: { dataFileId: fileId, incremental },
    idempotencyKey: `soak-import-${mark}`,
  }
  const run = step.isAbandoned ? once : untilAcknowledged
  await run(cloud, async facts => {
    const copies = Array.from({ length: step.isDoubled ? 2 : 1 }, () => callApi(facts, call))
    const replies = await Promise.allSettled(copies)
    // One acknowledgement is enough: all copies are the same import.
    load.isAcknowledged ||= replies.some(reply => reply.status === 'fulfilled' && reply.value.status === 202)
    const jobs = replies.map(reply => {
      if (reply.status === 'rejected') throw reply.reason
      return acknowledged(reply.value, [202]).body.id
    })
    if (new Set(jobs).size > 1)
      throw new StepFailure(`one idempotency key made the jobs ${jobs.join(' and ')}`)
  })
}

const importOwn = (
  context: StepContext,
  step: Step,
  { kind, ...load }: Omit<Import, 'noted'> & { kind: ImportKind },
): Promise<void> =>
  importRows(context, step, {
    ...load,
    noted: attempt => note(context.book.loadsOf(kind, load.table), attempt),
  })

/** The table with its first load, ready to be imported into. */
export const createTable = async (
  { cloud, book }: StepContext,
  kind: ImportKind | 'importShared',
  table: string,
  primaryKey?: string,
): Promise<void> => {
  const mark = `created-${table}`
  const rows = [{ id: mark, value: mark }]
  const fileId = await uploadBytes(cloud, Buffer.from(csvOf(rows)), { name: `${mark}.csv`, seed: 0 })
  const attempt: Load = { mark, step: 0, rows, isAcknowledged: false }
  const load =
    kind === 'importShared'
      ? note(book.sharedTable, { ...attempt, isFull: true, fileId })
      : note(book.loadsOf(kind, table), attempt)
  const call = {
    method: 'POST',
    path: `buckets/${book.bucket}/tables-async`,
    body: { name: table, dataFileId: fileId, ...(primaryKey !== undefined && { primaryKey }) },
    idempotencyKey: `soak-create-${book.bucket}-${table}`,
  }
  await untilAcknowledged(cloud, async facts => acknowledged(await callApi(facts, call), [202]))
  load.isAcknowledged = true
  // Imports into a table that is not there yet are refused.
  await untilAcknowledged(cloud, async facts => {
    const { status } = await callApi(facts, { path: `tables/${book.bucket}.${table}` })
    if (status !== 200) throw new Error(`The table ${table} is not there yet: ${status}`)
  })
}

export const fullTable = (client: number): string => `full${client}`
export const appendTable = 'append'
export const keyedTable = 'keyed'
export const sharedTable = 'shared'

export const importFull = (context: StepContext, step: Step): Promise<void> => {
  const mark = markOf(step.number, 0, 1)
  const rows = appendRows(mark, step.rows)
  return importOwn(context, step, {
    kind: 'importFull',
    table: fullTable(step.client),
    incremental: false,
    rows,
    mark,
  })
}

export const importAppend = async (context: StepContext, step: Step): Promise<void> => {
  for (let repeat = 0; repeat < step.repeats; repeat++) {
    const mark = markOf(step.number, repeat, 1)
    const rows = appendRows(mark, step.rows)
    await importOwn(context, step, {
      kind: 'importAppend',
      table: appendTable,
      incremental: true,
      rows,
      mark,
    })
  }
}

/** All clients load into one table, each its own keys. */
export const importKeyed = async (context: StepContext, step: Step): Promise<void> => {
  for (let repeat = 0; repeat < step.repeats; repeat++) {
    const mark = markOf(step.number, repeat, 1)
    const rows = keyedRows(mark, `${step.client}`, step.seed + repeat, step.rows)
    await importOwn(context, step, { kind: 'importKeyed', table: keyedTable, incremental: true, rows, mark })
  }
}

/** All clients load the same keys of one table, full and keyed loads mixed: their jobs say the order. */
export const importShared = async (context: StepContext, step: Step): Promise<void> => {
  for (let repeat = 0; repeat < step.repeats; repeat++) {
    const mark = markOf(step.number, repeat, 1)
    const isFull = isFullOf(step, repeat)
    await importRows(context, step, {
      table: sharedTable,
      incremental: !isFull,
      rows: keyedRows(mark, 'shared', step.seed + repeat, step.rows),
      mark,
      noted: (attempt, fileId) => note(context.book.sharedTable, { ...attempt, isFull, fileId }),
    })
  }
}

/** Enough to meet the load that is under way, whenever it moves the head. */
const renames = 6

/** Names a table anew, again and again, while a load of it moves its head. */
export const renameTable = async (context: StepContext, step: Step): Promise<void> => {
  const { cloud, book } = context
  const table = fullTable(step.client)
  await importFull(context, step)
  for (let repeat = 0; repeat < renames; repeat++)
    await untilAcknowledged(cloud, async (facts, number) => {
      const mark = `name-${markOf(step.number, repeat, number)}`
      const attempt = note(book.valuesOf(`table ${table}`), {
        mark,
        step: step.number,
        isAcknowledged: false,
      })
      const call = {
        method: 'PUT',
        path: `tables/${book.bucket}.${table}`,
        body: { displayName: mark },
      }
      acknowledged(await callApi(facts, call), [200])
      attempt.isAcknowledged = true
    })
}
