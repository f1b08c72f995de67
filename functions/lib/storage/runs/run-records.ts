import { z } from 'zod'
import { shortDigest } from '../../digests.ts'
import { expiringIn, type ItemTable, type ItemWrite, startingWith } from '../../items/item-table.ts'
import type { ToldProgress } from '../../wire/run-body.ts'
import { inputOfRun, type RunExecution, runExecution } from './run-execution.ts'

/** The configuration that a run is of. */
interface RunPlace {
  componentId: string
  configId: string
}

const openRun = z.object({ name: z.string(), lookedAt: z.coerce.date() })

/** As long as Step Functions remembers an execution. */
const KEPT_DAYS = 90
const PAGE_SIZE = 50

const ALL = 'RUNS'
const OPEN = 'OPEN_RUNS'

const ofPlace = ({ componentId, configId }: RunPlace): string =>
  `${ALL}/${shortDigest(JSON.stringify([componentId, configId]))}`

const ownKey = (name: string) => ({ pk: `RUN#${name}`, sk: 'RUN' })
const openKey = (name: string) => ({ pk: OPEN, sk: name })

/**
 * Runs as items: each under its name, in the list of all and in that of its configuration, newest first. So a list asks
 * nobody but the database.
 *
 * What says that a run begins or ends may come late, twice, or in the wrong order: the end wins. A run whose end was never
 * told stays among the open ones until somebody looks after it (`functions/tick/lost-run.ts`).
 */
export const createRunRecords = (items: ItemTable) => {
  /** Under its name and in both lists. */
  const putting = (run: RunExecution, when?: 'absent'): ItemWrite[] => {
    const startDate = run.startDate.toISOString()
    const sk = `${startDate} ${run.name}`
    const item = {
      ...run,
      startDate,
      ...(run.stopDate && { stopDate: run.stopDate.toISOString() }),
      ...expiringIn(KEPT_DAYS, run.startDate),
    }
    const keys = [ownKey(run.name), { pk: ALL, sk }, { pk: ofPlace(inputOfRun(run)), sk }]
    return keys.map(key => ({ action: 'put', key, item, ...(when && { when }) }))
  }

  return {
    /** Of one that has ended already nothing changes. */
    async begin(run: RunExecution): Promise<void> {
      const item = { name: run.name, lookedAt: run.startDate.toISOString() }
      const open: ItemWrite = { action: 'put', key: openKey(run.name), item, when: 'absent' }
      await items.transact([open, ...putting(run, 'absent')])
    },

    async end(run: RunExecution): Promise<void> {
      await items.transact([...putting(run), { action: 'delete', key: openKey(run.name) }])
    },

    async get(name: string): Promise<RunExecution | undefined> {
      const item = await items.get(ownKey(name))
      return item && runExecution.parse(item)
    },

    /** How far a run has come; the newest word counts, until the run ends. Resolves to false when it has. */
    noteProgress: async (name: string, progress: ToldProgress): Promise<boolean> =>
      (await items.update(ownKey(name), { set: { progress } }, { status: 'RUNNING' })) !== undefined,

    /** Newest first. Default: of all configurations. */
    async *list(place?: RunPlace): AsyncGenerator<RunExecution> {
      const range = { ...startingWith(''), newestFirst: true, pageSize: PAGE_SIZE }
      const partition = place === undefined ? ALL : ofPlace(place)
      for await (const item of items.query(partition, range)) yield runExecution.parse(item)
    },

    /** The run whose end nobody has told, and that nobody has looked after for longest. */
    async longestOpen(): Promise<z.infer<typeof openRun> | undefined> {
      const open = await Array.fromAsync(items.query(OPEN, startingWith('')), item => openRun.parse(item))
      return open.toSorted((a, b) => a.lookedAt.getTime() - b.lookedAt.getTime())[0]
    },

    /** Others are looked after first from here on. */
    async noteLook({ name, lookedAt }: z.infer<typeof openRun>, now: Date): Promise<void> {
      const before = { name, lookedAt: lookedAt.toISOString() }
      await items.put(openKey(name), { name, lookedAt: now.toISOString() }, before)
    },
  }
}

export type RunRecords = ReturnType<typeof createRunRecords>
