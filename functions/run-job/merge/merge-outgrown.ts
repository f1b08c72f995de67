import { readFile } from 'node:fs/promises'
import type { AskedWait } from '../../lib/asked-wait.ts'
import { type LoadPlace, loadPrefix } from '../../lib/distributed/load-place.ts'
import { UserError } from '../../lib/errors/errors.ts'
import type { MergedFork } from '../../lib/storage/tables/content/merge-fork.ts'
import { objectKeys, type Snapshot, sum, type TableFile } from '../../lib/table-engine/files/snapshot.ts'
import type { Distribution, RunJobServices } from '../job/services.ts'

interface OutgrownMerge {
  place: LoadPlace
  /** The table with the columns that it has after the load, and the files that the load keeps. */
  table: Snapshot
  staged: readonly TableFile[]
  loadedAt: Date
}

/** A merge takes minutes, and a look costs a step. */
const LOOK_SECONDS = 30

/** A merge reads the keys of the table, and the staged rows whole. */
const TABLE_FACTOR = 5

/** Whether one function cannot merge these rows by their key. */
export const outgrowsMerge = (
  table: Snapshot,
  staged: readonly TableFile[],
  { singleMergeBytes }: Distribution,
): boolean =>
  table.primaryKey.length > 0 &&
  (bytesOf(staged) > singleMergeBytes || bytesOf(table.files) > TABLE_FACTOR * singleMergeBytes)

export const bytesOf = (files: readonly TableFile[]): number => sum(files.map(({ bytes }) => bytes))

/**
 * Merges by an engine what outgrows one function, on a fork of the table's metadata below a prefix of the job. Resolves to the
 * content that the engine has made, or to when to look again. Nothing is visible before the job decides, and a run that died
 * leaves a prefix to the sweep.
 *
 * Errors: `storage.load.mergeTooLarge` where there is no engine, `storage.load.mergeFailed`, and that of a cancelled job, whose run is
 * stopped.
 */
export const mergeOutgrown = async (
  merge: OutgrownMerge,
  services: RunJobServices,
): Promise<MergedFork | AskedWait> => {
  const { distribution, jobs } = services
  const { documents, merges } = distribution
  const { place, table, staged, loadedAt } = merge
  if (!merges) throw tooLarge(merge, distribution)
  const { forks } = merges
  const engine = await merges.engine()
  const prefix = `${loadPrefix(place)}merge/`
  const known = await documents.find(place, 'merge')
  const merged = known && (await forks.find(prefix))
  if (merged) return merged
  const runId = known?.runId
  await jobs.refuseCancelled(place.jobId).catch(async (error: unknown) => {
    if (runId !== undefined) await engine.stop(runId)
    throw error
  })
  if (runId === undefined) {
    if (!known) {
      // Before the engine may be at work, and never after: its commits would be hidden.
      const script = await readFile(merges.script)
      await forks.write({ prefix, table, staged, timeMs: loadedAt.getTime(), script })
      await documents.write(place, 'merge', {})
    }
    const started = await engine.start({
      ...forks.placeOf(prefix),
      name: `millrace-${place.jobId}`,
      reads: [...new Set([prefix, ...objectKeys(table)].map(folderOf))].map(forks.locationOf),
    })
    await documents.write(place, 'merge', { runId: started })
    return { waitSeconds: LOOK_SECONDS }
  }
  const state = await engine.look(runId)
  if (state.isRunning) return { waitSeconds: LOOK_SECONDS }
  // It may have ended between the two looks.
  const last = await forks.find(prefix)
  if (last) return last
  // What it says may hold cells.
  services.log.error('Merge failed', { jobId: place.jobId, runId, failure: state.failure })
  throw new UserError(
    'storage.load.mergeFailed',
    `The engine for large merges ended its run ${runId} before the rows were merged, and the table is as it was. Load them again; why it ended stands in the logs of the service.`,
    { params: { runId } },
  )
}

/** `tables/7/`: where the files of a table lie, also those that a copy shares with it. */
const folderOf = (key: string): string => `${key.split('/').slice(0, 2).join('/')}/`

const tooLarge = ({ table, staged }: OutgrownMerge, { singleMergeBytes }: Distribution): UserError => {
  const [stagedBytes, tableBytes] = [bytesOf(staged), bytesOf(table.files)]
  return new UserError(
    'storage.load.mergeTooLarge',
    `The load has ${stagedBytes} bytes as Parquet and its table ${tableBytes}, and a load that outgrows one function is merged by ` +
      `primary key up to ${singleMergeBytes}, into ${TABLE_FACTOR * singleMergeBytes}: send the rows in several files.`,
    { params: { stagedBytes, tableBytes, singleMergeBytes } },
  )
}
