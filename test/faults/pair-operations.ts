import type { openConfigurations } from './configurations.ts'
import { awaitJob, importObject } from './operations.ts'
import {
  created,
  csvOf,
  dropped,
  type Effect,
  emptied,
  loaded,
  readTable,
  unchanged,
  withColumn,
  withoutColumn,
  withoutKey,
  withoutRow,
} from './pair-table.ts'
import type { World } from './world.ts'

/** One operation on the place of a pair. It may die at any of its writes, and be tried again. */
export interface Attempted {
  /** As the machine or the client does it, under the name of an execution. */
  run: (execution: string) => Promise<unknown>
  /** A person asks anew, not knowing what became of it. */
  askAnew: () => Promise<unknown>
  /** Holds the lease of its key until its execution has ended: another one of the key waits for that. */
  holdsKey?: boolean
  /** The machine has failed: what it leaves is cleaned up, before a person starts it again. */
  fail?: (execution: string) => Promise<unknown>
}

/** A key with its table, of two rows or not there yet, and a configuration. */
export interface Place {
  bucketId: string
  tableId: string
  /** What each job of the table does to it, by the name that `nameOf` gives to the job. */
  effects: Map<string, Effect>
  /** What landed versions make of the table, in the order of S3, where nothing else touches it. */
  versions: Effect[]
  configuration: Awaited<ReturnType<ReturnType<typeof openConfigurations>['create']>>
  /** The newest job before. */
  before: number
}

export type Operation = (world: World, place: Place, mark: string) => Promise<Attempted>

const land =
  (isFull: boolean): Operation =>
  async (world, { bucketId, versions }, mark) => {
    const rows = isFull ? { '1': mark } : { '1': mark, [mark]: mark }
    const object = await world.landing.land(`${bucketId}/t.csv`, csvOf(rows), {
      'primary-key': 'id',
      incremental: isFull ? '0' : '1',
    })
    versions.push(table => (table ? loaded(rows, { isFull, isLanded: true })(table) : created(rows)(table)))
    const run = (execution: string) => importObject(world, object, execution)
    return {
      run,
      holdsKey: true,
      askAnew: () => run(world.landing.newExecution()),
      fail: execution => world.landing.fail(object, execution),
    }
  }

interface Asked {
  method: string
  path: string
  body?: unknown
  /** What the job does, under the name that `nameOf` gives to it. */
  effect?: [name: string, effect: Effect]
  /** Another table that it makes, and that a second request finds there. */
  makes?: string
}

/** A request to the API that answers with a job, or at once, and is repeated with its key. */
const ask =
  (of: (place: Place, mark: string, world: World) => Asked | Promise<Asked>): Operation =>
  async (world, place, mark) => {
    const {
      method,
      path,
      body,
      makes,
      effect: [name, effect] = ['', unchanged],
    } = await of(place, mark, world)
    if (name !== '') place.effects.set(name, effect)
    const send = async (key: string): Promise<void> => {
      const { status, body: reply } = await world.request(method, path, body, { 'Idempotency-Key': key })
      if (status === 202) return void (await awaitJob(world, (reply as { id: number }).id)) // A job, as the route's schema says.
      if (status < 300) return
      const isMade = makes !== undefined && (await readTable(world, makes)) !== undefined
      const table = await readTable(world, place.tableId)
      const isGone = status === 404 && table === undefined
      if (status >= 500 || !(isMade || isGone || effect(table) === 'refused'))
        throw new Error(`The request answered ${status}: ${JSON.stringify(reply)}`)
    }
    const key = `${place.tableId} ${mark}`
    return { run: () => send(key), askAnew: () => send(`${key} anew`) }
  }

const load = (isFull: boolean): Operation =>
  ask(async ({ tableId }, mark, world) => {
    const rows = isFull ? { '1': mark } : { '1': mark, [mark]: mark }
    const dataFileId = await world.service.upload(csvOf(rows))
    return {
      method: 'POST',
      path: `/tables/${tableId}/import-async`,
      body: { dataFileId, incremental: isFull ? 0 : 1 },
      effect: [`file ${dataFileId}`, loaded(rows, { isFull })],
    }
  })

const create: Operation = ask(async ({ bucketId }, mark, world) => {
  const rows = { '1': mark }
  const dataFileId = await world.service.upload(csvOf(rows))
  return {
    method: 'POST',
    path: `/buckets/${bucketId}/tables-async`,
    body: { name: 't', dataFileId, primaryKey: 'id' },
    effect: [`file ${dataFileId}`, created(rows)],
  }
})

const rollBack: Operation = async (_world, { configuration }, mark) => {
  const write = () => configuration.write(mark, {}, 'versions/1/rollback')
  return { run: write, askAnew: write }
}

const configure: Operation = async (_world, { configuration }, mark) => {
  const write = () => configuration.write(mark, { configuration: { mark } })
  return { run: write, askAnew: write }
}

const addConfigurationRow: Operation = async (_world, { configuration }, mark) => {
  const write = () => configuration.write(mark, { rowId: mark, name: mark }, 'rows')
  return { run: write, askAnew: write }
}

const landings = { 'a full version of a key': land(true), 'a keyed version of a key': land(false) }

/** Operations whose order is seen in the rows: where one overtakes another, values are lost. */
export const ordered = {
  ...landings,
  'a full load': load(true),
  'a keyed load': load(false),
  'a deletion of rows': ask(({ tableId }) => ({
    method: 'DELETE',
    path: `/tables/${tableId}/rows?whereColumn=id&whereValues[]=2`,
    effect: ['tableRowsDelete', withoutRow('2')],
  })),
}

/** The other operations that touch one table. */
export const others = {
  'a creation': create,
  'a drop': ask(({ tableId }) => ({
    method: 'DELETE',
    path: `/tables/${tableId}?async=1&force=1`,
    effect: ['tableDrop', dropped],
  })),
  'a truncation': ask(({ tableId }) => ({
    method: 'DELETE',
    path: `/tables/${tableId}/rows?allowTruncate=1`,
    effect: ['tableRowsDelete of all', emptied],
  })),
  'a new name': ask(({ tableId }, mark) => ({
    method: 'PUT',
    path: `/tables/${tableId}`,
    body: { displayName: mark, async: true },
    effect: ['tableUpdate', unchanged],
  })),
  'a new column': ask(({ tableId }, mark) => ({
    method: 'POST',
    path: `/tables/${tableId}/columns`,
    body: { name: `c${mark}` },
    effect: [`tableColumnAdd c${mark}`, withColumn(`c${mark}`)],
  })),
  'a column less': ask(({ tableId }) => ({
    method: 'DELETE',
    path: `/tables/${tableId}/columns/v?force=1`,
    effect: ['tableColumnDelete v', withoutColumn('v')],
  })),
  'a removed key': ask(({ tableId }) => ({
    method: 'DELETE',
    path: `/tables/${tableId}/primary-key`,
    effect: ['tablePrimaryKeyDelete', withoutKey],
  })),
  'a snapshot': ask(({ tableId }, mark) => ({
    method: 'POST',
    path: `/tables/${tableId}/snapshots`,
    body: { description: mark },
    effect: ['tableSnapshotCreate', unchanged],
  })),
  'an export': ask(({ tableId }) => ({ method: 'POST', path: `/tables/${tableId}/export-async`, body: {} })),
  'a copy': ask(({ bucketId, tableId }, mark) => ({
    method: 'POST',
    path: `/buckets/${bucketId}/tables-async`,
    body: { name: `copy-${mark}`, sourceTableId: tableId },
    makes: `${bucketId}.copy-${mark}`,
  })),
  'an alias': ask(({ bucketId, tableId }, mark) => ({
    method: 'POST',
    path: `/buckets/${bucketId}/table-aliases`,
    body: { sourceTable: tableId, name: `alias-${mark}` },
    makes: `${bucketId}.alias-${mark}`,
  })),
}

/** On a table that is not there yet. */
export const creations = { ...landings, 'a creation': create }

export const onConfiguration = {
  'a write of a configuration': configure,
  'a row of a configuration': addConfigurationRow,
  'a rollback of a configuration': rollBack,
}
