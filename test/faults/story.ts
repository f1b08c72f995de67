import { runJob } from '#functions/run-job/run-job.ts'
import type { LandedObject } from '#lib/landed-object.ts'
import { createRandom, randomFrom } from '../support/random.ts'
import { openConfigurations } from './configurations.ts'
import { type Load, type Row, tableDifferences } from './model.ts'
import { awaitJob, importObject, submitLoad } from './operations.ts'
import type { Fault } from './seam.ts'
import type { World } from './world.ts'

const FAULTS = ['dieBefore', 'dieAfter', 'failBefore', 'failAfter'] as const
/** The first attempts of an operation meet a fault, perhaps; the last must get through. */
const TROUBLED_ATTEMPTS = 2
const ATTEMPTS = 6

interface Landing {
  key: string
  tableId: string
  primaryKey: string[]
  landed: { object: LandedObject; load: Load }[]
  /** Events that are still on their way, in no order, some of them twice. */
  events: LandedObject[]
}

/**
 * One story of several writers of several tables and a configuration, with faults, all of it from the seed. Resolves to
 * what differs from the model in the end; the steps say how it came about.
 */
export const playStory = async (
  world: World,
  seed: number,
  steps: number,
): Promise<{ differences: string[]; told: string[] }> => {
  const random = createRandom(randomFrom(seed))
  const { seam, service, landing } = world
  const told: string[] = []
  const name = `s${seed}-${world.landing.newExecution()}`
  const bucketId = `in.c-${name}`

  /** Repeats the operation until it gets through, the first times with a fault at some call. */
  const insist = async (operation: (attempt: number) => Promise<unknown>): Promise<void> => {
    for (let attempt = 1; ; attempt++) {
      const fault =
        attempt <= TROUBLED_ATTEMPTS && random.isLucky(0.6) ? random.pick<Fault>(FAULTS) : undefined
      const at = 1 + random.between(0, 59)
      if (fault) told.push(`  ${fault} at call ${at}`)
      seam.follow(({ number }) => (number === at ? fault : undefined))
      try {
        await operation(attempt)
        return
      } catch (error) {
        if (attempt === ATTEMPTS)
          throw new Error(['an operation never gets through', `seed ${seed}`, ...told].join('\n'), {
            cause: error,
          })
      } finally {
        seam.calm()
      }
    }
  }

  const keyed: Landing = {
    key: `${bucketId}/keyed.csv`,
    tableId: `${bucketId}.keyed`,
    primaryKey: ['id'],
    landed: [],
    events: [],
  }
  const replaced: Landing = {
    key: `${bucketId}/replaced.csv`,
    tableId: `${bucketId}.replaced`,
    primaryKey: [],
    landed: [],
    events: [],
  }
  const land = async (place: Landing, mode: Load['mode']): Promise<void> => {
    const order = place.landed.length + 1
    const rows: Row[] = ['1', '2', '3'].filter(() => random.isLucky(0.6)).map(id => [id, `v${order}`])
    const metadata = {
      incremental: mode === 'full' ? '0' : '1',
      ...(place.primaryKey.length > 0 && { 'primary-key': place.primaryKey.join(',') }),
    }
    const content = `id,v\n${rows.map(row => `${row.join(',')}\n`).join('')}`
    const object = await landing.land(place.key, content, metadata)
    const load: Load = { name: `version ${order}`, mode, rows, order, state: 'done' }
    place.landed.push({ object, load })
    place.events.push(object, ...(random.isLucky(0.3) ? [object] : []))
    told.push(`version ${order} of ${place.key} lands`)
  }
  const deliver = async (place: Landing): Promise<void> => {
    const [event] = place.events.splice(random.between(0, place.events.length - 1), 1)
    if (!event) return
    told.push(`an event of ${place.key} comes: sequencer ${event.sequencer}`)
    let execution = landing.newExecution()
    await insist(async attempt => {
      if (attempt > 1 && random.isLucky(0.5)) {
        landing.stop(execution)
        execution = landing.newExecution()
      }
      const end = await importObject(world, event, execution)
      if (end.status === 'failed') throw new Error(`The import failed: ${end.error}, ${end.cause}`)
    })
    landing.stop(execution)
  }

  const appended: Load[] = []
  const appendedId = await createTable(world, name)
  const newAppend = async (): Promise<number> => {
    const order = appended.length + 1
    const rows = [[`${order}`, `a${order}`]]
    appended.push({ name: `append ${order}`, mode: 'incremental', rows, order, state: 'done' })
    told.push(`append ${order} is asked for`)
    return service.upload(`id,v\n${rows.map(row => row.join(',')).join('\n')}\n`)
  }
  const submitAppend = (fileId: number): Promise<number> =>
    submitLoad(world, {
      tableId: appendedId,
      fileId,
      incremental: true,
      idempotencyKey: `${name}-append-${fileId}`,
    })
  const append = async (): Promise<void> => {
    const fileId = await newAppend()
    await insist(async () => awaitJob(world, await submitAppend(fileId)))
    // A client whose reply was lost asks once more.
    if (random.isLucky(0.5)) await insist(async () => awaitJob(world, await submitAppend(fileId)))
  }
  /** An invocation that hangs before it moves the table's head, and goes on when others have done its work and more. */
  const appendLate = async (): Promise<void> => {
    const jobId = await submitAppend(await newAppend())
    let hasStalled = false
    seam.follow(({ name: call, input }) => {
      if (hasStalled || call !== 'items.swap' || !JSON.stringify(input).includes('TABLE#')) return undefined
      hasStalled = true
      told.push(`  job ${jobId} stalls before it moves the head`)
      return 'stall'
    })
    const late = runJob({ jobId }, service.jobServices).catch(() => undefined)
    await Promise.race([seam.whenStalled(), late])
    await awaitJob(world, jobId)
    await awaitJob(world, await submitAppend(await newAppend()))
    seam.release()
    await late
    seam.calm()
  }

  const configuration = await openConfigurations(world).create(name)
  let writes = 0
  const configure = async (): Promise<void> => {
    const marks = [`write ${++writes}`, `write ${++writes}`]
    told.push(`${marks.join(' and ')} of the configuration at once`)
    await insist(async () => {
      const all = marks.map(mark => configuration.write(mark, { configuration: { mark } }))
      const ends = await Promise.allSettled(all)
      for (const end of ends) if (end.status === 'rejected') throw end.reason
    })
  }

  const operations = [
    () => land(keyed, random.isLucky(0.15) ? 'full' : 'incremental'),
    () => land(keyed, 'incremental'),
    () => land(replaced, 'full'),
    () => deliver(keyed),
    () => deliver(random.pick([keyed, replaced])),
    append,
    appendLate,
    configure,
    async () => {
      world.clock.aheadMs += random.between(0, 599_999)
      told.push('the clock jumps')
    },
  ] as const
  for (let step = 0; step < steps; step++) {
    told.push(`step ${step + 1}:`)
    await random.pick(operations)()
  }

  for (const place of [keyed, replaced]) while (place.events.length > 0) await deliver(place)
  await world.heal()
  const tables = [
    ...[keyed, replaced].map(({ tableId, primaryKey, landed }) => ({
      name: tableId,
      key: primaryKey.map(() => 0),
      loads: landed.map(({ load }) => load),
    })),
    { name: appendedId, key: [], loads: appended },
  ]
  const differences = await configuration.differences()
  for (const table of tables) differences.push(...tableDifferences(table, await world.rowsOf(table.name)))
  return { differences, told }
}

const createTable = async ({ service, runOpenJobs }: World, name: string): Promise<string> => {
  const bucketId = await service.createBucket(`${name}-api`)
  const dataFileId = await service.upload('id,v\n')
  const path = `/v2/storage/buckets/${bucketId}/tables-async`
  await service.call('POST', path, { name: 'appended', dataFileId })
  await runOpenJobs()
  return `${bucketId}.appended`
}
