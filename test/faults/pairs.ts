import { GetObjectCommand } from '@aws-sdk/client-s3'
import { openConfigurations } from './configurations.ts'
import { awaitJob, importObject } from './operations.ts'
import { dieAt } from './seam.ts'
import type { World } from './world.ts'

/** How an operation that died comes back, when another one has run whole in between. */
export const comebacks = ['retry', 'redelivery', 'clock', 'poll', 'redrive', 'person'] as const
export type Comeback = (typeof comebacks)[number]

type Rows = Record<string, string>
type Effect = (rows: Rows) => Rows

/** One operation on the place of a pair. It may die at any of its writes, and be tried again. */
interface Attempted {
  /** As the machine or the client does it, under the name of an execution. */
  run: (execution: string) => Promise<unknown>
  /** A person asks anew, not knowing what became of it. */
  askAnew: () => Promise<unknown>
  /** Holds the lease of its key until its execution has ended: another one of the key waits for that. */
  holdsKey?: boolean
  /** The machine has failed: what it leaves is cleaned up, before a person starts it again. */
  fail?: (execution: string) => Promise<unknown>
}

/** A key with its table, of one row, and a configuration. */
export interface Place {
  bucketId: string
  tableId: string
  /** What each job of the table does to its rows, by the file that it reads or the row that it deletes. */
  effects: Map<string, Effect>
  /** Marks of landed versions, in the order of S3. */
  versions: Effect[]
  configuration: Awaited<ReturnType<ReturnType<typeof openConfigurations>['create']>>
}

type Operation = (world: World, place: Place, mark: string) => Promise<Attempted>

const FIRST = { '1': 'first', '2': 'first' }
const merge =
  (changed: Rows): Effect =>
  rows => ({ ...rows, ...changed })
const replace =
  (changed: Rows): Effect =>
  () =>
    changed
const csv = (rows: Rows): string =>
  `id,v\n${Object.entries(rows)
    .map(([id, v]) => `${id},${v}\n`)
    .join('')}`

const land =
  (isFull: boolean): Operation =>
  async (world, { bucketId, versions }, mark) => {
    const rows = isFull ? { '1': mark } : { '1': mark, [mark]: mark }
    const object = await world.landing.land(`${bucketId}/t.csv`, csv(rows), {
      'primary-key': 'id',
      incremental: isFull ? '0' : '1',
    })
    versions.push(isFull ? replace(rows) : merge(rows))
    const run = (execution: string) => importObject(world, object, execution)
    return {
      run,
      holdsKey: true,
      askAnew: () => run(world.landing.newExecution()),
      fail: execution => world.landing.fail(object, execution),
    }
  }

/** A request to the API that answers with a job, and is repeated with its key. */
const ask = async (world: World, send: (key: string) => ReturnType<World['request']>, key: string) => {
  const { status, body } = await send(key)
  if (status !== 202) throw new Error(`The request answered ${status}: ${JSON.stringify(body)}`)
  await awaitJob(world, (body as { id: number }).id) // A job, as the route's own schema has checked.
}

const asked = (
  world: World,
  mark: string,
  send: (key: string) => ReturnType<World['request']>,
): Attempted => ({
  run: () => ask(world, send, mark),
  askAnew: () => ask(world, send, `${mark} anew`),
})

const load =
  (isFull: boolean): Operation =>
  async (world, { tableId, effects }, mark) => {
    const rows = isFull ? { '1': mark } : { '1': mark, [mark]: mark }
    const dataFileId = await world.service.upload(csv(rows))
    effects.set(`file ${dataFileId}`, isFull ? replace(rows) : merge(rows))
    const body = { dataFileId, incremental: isFull ? 0 : 1 }
    return asked(world, `${tableId} ${mark}`, key =>
      world.request('POST', `/tables/${tableId}/import-async`, body, { 'Idempotency-Key': key }),
    )
  }

const deleteRow: Operation = async (world, { tableId, effects }, mark) => {
  effects.set('delete 2', ({ '2': _deleted, ...rows }) => rows)
  const path = `/tables/${tableId}/rows?whereColumn=id&whereValues[]=2`
  return asked(world, `${tableId} ${mark}`, key =>
    world.request('DELETE', path, undefined, { 'Idempotency-Key': key }),
  )
}

const rename: Operation = async (world, { tableId, effects }, mark) => {
  effects.set(`name ${mark}`, rows => rows)
  const body = { displayName: mark, async: true }
  return asked(world, `${tableId} ${mark}`, key =>
    world.request('PUT', `/tables/${tableId}`, body, { 'Idempotency-Key': key }),
  )
}

const configure: Operation = async (_world, { configuration }, mark) => {
  const write = () => configuration.write(mark, { configuration: { mark } })
  return { run: write, askAnew: write }
}

const addConfigurationRow: Operation = async (_world, { configuration }, mark) => {
  const write = () => configuration.write(mark, { rowId: mark, name: mark }, 'rows')
  return { run: write, askAnew: write }
}

/** Operations that touch one key or table, and those that touch one configuration. */
export const operations = {
  table: {
    'a full version of a key': land(true),
    'a keyed version of a key': land(false),
    'a full load': load(true),
    'a keyed load': load(false),
    'a deletion of rows': deleteRow,
    'a new name': rename,
  },
  configuration: { 'a write of a configuration': configure, 'a row of a configuration': addConfigurationRow },
} as const satisfies Record<string, Record<string, Operation>>

let places = 0

const newPlace = async (world: World): Promise<Place> => {
  const name = `pair${++places}`
  const bucketId = await world.service.createBucket(name)
  const dataFileId = await world.service.upload(csv(FIRST))
  const path = `/v2/storage/buckets/${bucketId}/tables-async`
  await world.service.call('POST', path, { name: 't', dataFileId, primaryKey: 'id' })
  await world.runOpenJobs()
  return {
    bucketId,
    tableId: `${bucketId}.t`,
    effects: new Map([[`file ${dataFileId}`, replace(FIRST)]]),
    versions: [],
    configuration: await openConfigurations(world).create(name),
  }
}

/** How many writes an operation makes when nothing disturbs it. */
export const countWrites = async (world: World, operation: Operation): Promise<number> => {
  const attempted = await operation(world, await newPlace(world), 'alone')
  let writes = 0
  world.seam.follow(({ write }) => {
    writes = write ?? writes
    return undefined
  })
  await attempted.run(world.landing.newExecution())
  world.seam.calm()
  return writes
}

export interface Play {
  a: Operation
  b: Operation
  /** The write of A after which the machine is gone. */
  write: number
  comeback: Comeback
  /** Between the death and B: longer than the acceptance of a job takes. */
  isLater: boolean
}

/**
 * A dies after one of its writes. Before it is tried again, B runs whole. Then A comes back, and the clock looks after
 * what is left. Resolves to what differs from the model.
 */
export const playPair = async (world: World, { a, b, write, comeback, isLater }: Play): Promise<string[]> => {
  const { seam, landing, clock } = world
  const place = await newPlace(world)
  const first = await a(world, place, 'a')
  const execution = landing.newExecution()
  seam.follow(dieAt(write, 'after'))
  const failure = await first.run(execution).then(
    () => undefined,
    (error: unknown) => error,
  )
  if (failure !== undefined && !seam.isDead) throw failure
  seam.calm()
  if (isLater) clock.aheadMs += 10_000
  // A function that was stopped blocks nobody; the same execution may try again all the same.
  if (comeback !== 'retry') landing.stop(execution)

  const second = await b(world, place, 'b')
  if (comeback === 'retry' && first.holdsKey && second.holdsKey)
    await Promise.all([second.run(landing.newExecution()), first.run(execution)])
  else await second.run(landing.newExecution())

  if (comeback === 'clock') await world.heal()
  if (comeback === 'poll') await pollOpenJobs(world)
  if (comeback === 'redrive') await first.fail?.(execution)
  if (comeback === 'person') await first.askAnew()
  else await first.run(comeback === 'retry' ? execution : landing.newExecution())
  await world.heal()
  return [...(await tableDifferencesOf(world, place)), ...(await place.configuration.differences())]
}

const pollOpenJobs = async (world: World): Promise<void> => {
  world.clock.aheadMs += 10_000
  for await (const { id, status } of world.service.stores.jobs.list())
    if (status === 'waiting' || status === 'processing') await world.request('GET', `/jobs/${id}`)
  await world.runOpenJobs()
}

/**
 * The table is what its jobs make of it in the order in which they were accepted, each of which has succeeded; and what
 * the versions of its key make of it in S3's order where nothing else has touched it.
 */
const tableDifferencesOf = async (world: World, place: Place): Promise<string[]> => {
  const { tableId, effects, versions } = place
  const differences: string[] = []
  const done: Effect[] = []
  const files = new Map<number, Effect>()
  for await (const job of world.service.stores.jobs.list({})) {
    if (job.queueTableId !== tableId) continue
    if (job.status !== 'success') differences.push(`job ${job.id} is ${job.status}: ${JSON.stringify(job)}`)
    const effect = effects.get(nameOf(job.input)) ?? (await effectOfFile(world, job.input, files))
    if (effect) done.unshift(effect)
    else differences.push(`job ${job.id} is nobody's: ${JSON.stringify(job.input)}`)
  }
  const found = Object.fromEntries(((await world.rowsOf(tableId)) ?? []).map(([id = '', v = '']) => [id, v]))
  const folded = (all: readonly Effect[]): string => show(all.reduce<Rows>((rows, apply) => apply(rows), {}))
  if (show(found) !== folded(done))
    differences.push(`the table has ${show(found)}, its jobs in their order make ${folded(done)}`)
  const others = [...effects.keys()].slice(1)
  const inOrder = folded([replace(FIRST), ...versions])
  if (others.length === 0 && versions.length > 0 && show(found) !== inOrder)
    differences.push(`the table has ${show(found)}, its versions in their order make ${inOrder}`)
  return differences
}

type Input = { operationName: string; fileId?: number; source?: object; displayName?: string }

const nameOf = (input: object): string => {
  const { operationName, fileId, source, displayName }: Input = Object(input)
  if (operationName === 'tableRowsDelete') return 'delete 2'
  if (operationName === 'tableUpdate') return `name ${displayName}`
  return `file ${fileId ?? Object(source).fileId}`
}

/** Of a file that the hook prepared: what is in it, and whether it replaces the table. */
const effectOfFile = async (
  world: World,
  input: object,
  known: Map<number, Effect>,
): Promise<Effect | undefined> => {
  const { fileId, incremental }: { fileId?: number; incremental?: boolean } = Object(input)
  if (fileId === undefined) return undefined
  const effect = known.get(fileId) ?? (incremental ? merge : replace)(await rowsOfFile(world, fileId))
  known.set(fileId, effect)
  return effect
}

const rowsOfFile = async ({ service }: World, fileId: number): Promise<Rows> => {
  const file = await service.stores.files.getReadable(fileId)
  const { Body } = await service.s3.send(
    new GetObjectCommand({ Bucket: service.filesBucket, Key: file?.key }),
  )
  const [, ...lines] = ((await Body?.transformToString()) ?? '').trimEnd().split('\n')
  return Object.fromEntries(lines.map(line => line.split(',')))
}

const show = (rows: Rows): string =>
  Object.keys(rows)
    .sort()
    .map(id => `${id}=${rows[id]}`)
    .join(' ')
