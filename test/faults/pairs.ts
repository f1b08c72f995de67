import { GetObjectCommand } from '@aws-sdk/client-s3'
import { openConfigurations } from './configurations.ts'
import type { Operation, Place } from './pair-operations.ts'
import {
  created,
  csvOf,
  type Effect,
  loaded,
  type Rows,
  readTable,
  showTable,
  type Table,
} from './pair-table.ts'
import { dieAt } from './seam.ts'
import type { World } from './world.ts'

/** How an operation that died comes back, when another one has run whole in between. */
export const comebacks = ['retry', 'redelivery', 'clock', 'poll', 'redrive', 'person'] as const
export type Comeback = (typeof comebacks)[number]

const FIRST = { '1': 'first', '2': 'first' }

let places = 0

const newPlace = async (world: World, hasTable: boolean): Promise<Place> => {
  const name = `pair${++places}`
  const before = await newestJob(world)
  const bucketId = await world.service.createBucket(name)
  const effects = new Map<string, Effect>()
  const versions: Effect[] = []
  if (hasTable) {
    const dataFileId = await world.service.upload(csvOf(FIRST))
    const path = `/v2/storage/buckets/${bucketId}/tables-async`
    await world.service.call('POST', path, { name: 't', dataFileId, primaryKey: 'id' })
    await world.runOpenJobs()
    effects.set(`file ${dataFileId}`, created(FIRST))
    versions.push(created(FIRST))
  }
  const configuration = await openConfigurations(world).create(name)
  return { bucketId, tableId: `${bucketId}.t`, effects, versions, configuration, before }
}

const newestJob = async ({ service }: World): Promise<number> => {
  for await (const { id } of service.stores.jobs.list()) return id
  return 0
}

/** Of a place alone: a world has thousands, and to read those of all again and again took most of the time. */
const jobsOf = ({ service }: World, { before }: Place) => service.stores.jobs.list({ sinceId: before })

/** How many writes an operation makes when nothing disturbs it. */
export const countWrites = async (world: World, operation: Operation, hasTable: boolean): Promise<number> => {
  const attempted = await operation(world, await newPlace(world, hasTable), 'alone')
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
  /** False: the table is not there yet. */
  hasTable: boolean
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
export const playPair = async (world: World, play: Play): Promise<string[]> => {
  const { a, b, hasTable, write, comeback, isLater } = play
  const { seam, landing, clock } = world
  const place = await newPlace(world, hasTable)
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
  if (comeback === 'poll') await pollOpenJobs(world, place)
  if (comeback === 'redrive') await first.fail?.(execution)
  if (comeback === 'person') await first.askAnew()
  else await first.run(comeback === 'retry' ? execution : landing.newExecution())
  await world.heal()
  return [
    ...(await tableDifferencesOf(world, place)),
    ...(await neighbourDifferencesOf(world, place)),
    ...(await place.configuration.differences()),
  ]
}

const pollOpenJobs = async (world: World, place: Place): Promise<void> => {
  world.clock.aheadMs += 10_000
  for await (const { id, status } of jobsOf(world, place))
    if (status === 'waiting' || status === 'processing') await world.request('GET', `/jobs/${id}`)
  await world.runOpenJobs()
}

/**
 * The table is what its jobs make of it in the order in which they were accepted, each of which ends as the table before
 * it demands; and what the versions of its key make of it in S3's order where nothing else has touched it.
 */
const tableDifferencesOf = async (world: World, place: Place): Promise<string[]> => {
  const { tableId, effects, versions } = place
  const differences: string[] = []
  const files = new Map<number, Rows>()
  const jobs = []
  for await (const job of jobsOf(world, place)) if (job.queueTableId === tableId) jobs.unshift(job)

  let table: Table | undefined
  for (const job of jobs) {
    const effect = effects.get(nameOf(job.input)) ?? (await effectOfFile(world, job.input, files))
    if (!effect) {
      differences.push(`job ${job.id} is nobody's: ${JSON.stringify(job.input)}`)
      continue
    }
    const next = effect(table)
    const expected = next === 'refused' ? 'error' : 'success'
    if (job.status !== expected)
      differences.push(
        `job ${job.id} is ${job.status}, not ${expected}, on ${showTable(table)}: ${JSON.stringify(job)}`,
      )
    if (next !== 'refused') table = next
  }
  const found = showTable(await readTable(world, tableId))
  if (found !== showTable(table))
    differences.push(`the table has ${found}, its jobs in their order make ${showTable(table)}`)
  const isOnlyLanded =
    [...effects.keys()].every(name => name.startsWith('file ')) && effects.size < versions.length
  const inOrder = versions.reduce<Table | undefined>((state, apply) => {
    const next = apply(state)
    return next === 'refused' ? state : next
  }, undefined)
  if (isOnlyLanded && versions.length > 1 && found !== showTable(inOrder))
    differences.push(`the table has ${found}, its versions in their order make ${showTable(inOrder)}`)
  return differences
}

/** What else the operations made beside the table: nothing waits for ever, and no alias shows a table that is gone. */
const neighbourDifferencesOf = async (world: World, place: Place): Promise<string[]> => {
  const { bucketId, tableId } = place
  const differences: string[] = []
  for await (const { id, status, input } of jobsOf(world, place))
    if (JSON.stringify(input).includes(bucketId) && status !== 'success' && status !== 'error')
      differences.push(`job ${id} is ${status} for ever`)
  const { body: tables } = await world.service.call('GET', `/v2/storage/buckets/${bucketId}/tables`)
  for (const { id } of tables)
    if (id !== tableId && (await readTable(world, id)) === undefined)
      differences.push(`${id} is listed and cannot be read`)
  return differences
}

type Input = {
  operationName: string
  fileId?: number
  source?: object
  name?: string
  conditions?: { where: unknown[] }
}

const nameOf = (input: object): string => {
  const { operationName, fileId, source, name, conditions }: Input = Object(input)
  if (operationName === 'tableRowsDelete')
    return conditions?.where.length ? operationName : `${operationName} of all`
  if (operationName === 'tableColumnAdd' || operationName === 'tableColumnDelete')
    return `${operationName} ${name}`
  const file = fileId ?? Object(source).fileId
  return file === undefined ? operationName : `file ${file}`
}

/** Of a file that the hook prepared: what is in it, and whether it makes or replaces the table. */
const effectOfFile = async (
  world: World,
  input: object,
  known: Map<number, Rows>,
): Promise<Effect | undefined> => {
  const { operationName, fileId, incremental, source, primaryKey, creates } = Object(input)
  const id: number | undefined = fileId ?? Object(source).fileId
  if (id === undefined) return undefined
  const rows = known.get(id) ?? (await rowsOfFile(world, id))
  known.set(id, rows)
  if (operationName === 'tableCreate') return created(rows)
  const load = loaded(rows, { isFull: !incremental, namesKey: primaryKey !== undefined, isLanded: true })
  return table => (creates && table === undefined ? created(rows)(table) : load(table))
}

const rowsOfFile = async ({ service }: World, fileId: number): Promise<Rows> => {
  const file = await service.stores.files.getReadable(fileId)
  const { Body } = await service.s3.send(
    new GetObjectCommand({ Bucket: service.filesBucket, Key: file?.key }),
  )
  const [, ...lines] = ((await Body?.transformToString()) ?? '').trimEnd().split('\n')
  return Object.fromEntries(lines.map(line => line.split(',')))
}
