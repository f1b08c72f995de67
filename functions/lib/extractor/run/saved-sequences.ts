import { randomUUID } from 'node:crypto'
import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import type { Json } from '../../json/json-value.ts'
import { pathInside } from '../../paths/path-inside.ts'
import { RunWatch, type SavedWatch } from '../paging/completeness.ts'
import type { Progress } from '../paging/create-paginator.ts'
import { type FetchedPage, fingerprint, parseBody, parsedLater } from '../requests/http/parse-response.ts'
import { AppendFile } from '../tables/table-spool.ts'
import { allPlans, groupByTable, type JobPlan } from './job-plan.ts'
import type { Iteration } from './prepare-iteration.ts'
import { isPage, type JobRun, type Pending, type PendingPage, paginatorOf, startRun } from './start-run.ts'

/** Runs and rows once each, pages by reference to them. */
interface SavedSequences {
  rows: Json[]
  runs: SavedRun[]
  pending: (SavedPage | SavedChildren)[][]
  /** The file with the bodies of answers that came and are not read yet, one behind the other. */
  bodies: string
}

/** What is not there is left out by JSON. */
interface SavedRun
  extends Pick<JobRun, 'request' | 'columns' | 'placeholders' | 'step'>,
    Omit<Progress, 'startedAt'> {
  plan: string
  /** The rows above, which children look up. */
  rows: number[]
  /** Seconds since the first request; a pause between legs does not count. */
  elapsed: number
  /** Digest of the last page, to notice a server that repeats itself. */
  last: string | undefined
  watch: SavedWatch | undefined
}

interface SavedPage extends Pick<PendingPage, 'request'> {
  run: number
  fetched?: Pick<FetchedPage, 'headers' | 'url' | 'ends' | 'items' | 'at'> & {
    bytes: number
    response: Json | undefined
  }
}

interface SavedChildren {
  parent: number
  plan: string
  items: number[]
}

/**
 * The sequences of the iteration under way as JSON. Answers that came are never asked for again, since a server may have moved on with
 * them: their bodies go to a file.
 *
 * @param folder of those bodies; what an earlier leg left there goes
 * @param now seconds since 1970
 */
export const saveSequences = (
  sequences: readonly (readonly Pending[])[],
  folder: string,
  now: number,
): SavedSequences => {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const bodies = randomUUID()
  const out = new AppendFile(pathInside(folder, bodies))
  const rows = new Map<Json, number>()
  const runs = new Map<JobRun, number>()
  const savedRuns: SavedRun[] = []
  const saveRow = (row: Json): number => placeOf(rows, row)
  const saveRun = (run: JobRun): number => {
    const place = placeOf(runs, run)
    savedRuns[place] ??= savedRun(run, run.rows.map(saveRow), now)
    return place
  }
  const save = (pending: Pending): SavedPage | SavedChildren => {
    if (isPage(pending)) {
      const { run, request, fetched } = pending
      if (fetched !== undefined) out.write(fetched.body)
      return { run: saveRun(run), request, ...(fetched && { fetched: savedAnswer(fetched) }) }
    }
    const { parent, plan, items, from } = pending
    return { parent: saveRun(parent), plan: plan.path, items: items.slice(from).map(saveRow) }
  }
  const pending = sequences.map(sequence => sequence.map(save))
  out.finish()
  return { rows: [...rows.keys()], runs: savedRuns, pending, bodies }
}

const placeOf = <Key>(places: Map<Key, number>, key: Key): number => {
  const place = places.get(key) ?? places.size
  places.set(key, place)
  return place
}

const savedRun = (run: JobRun, rows: number[], now: number): SavedRun => {
  const { plan, request, columns, placeholders, step, watch, last } = run
  const { startedAt, ...progress } = run.progress
  return {
    ...{ ...progress, request, columns, placeholders, step, rows },
    plan: plan.path,
    elapsed: now - startedAt,
    last: typeof last === 'object' ? fingerprint(last.response) : last,
    watch: watch?.save(),
  }
}

const savedAnswer = (fetched: FetchedPage): NonNullable<SavedPage['fetched']> => {
  const { body, headers, url, isParsed, ends, items, at } = fetched
  const response = isParsed ? undefined : fetched.response
  return { bytes: body.length, headers, url, response, ends, items, at }
}

/** The sequences of an iteration: those that a leg before has left, else the first pages of all jobs. */
export const openSequences = (saved: unknown, iteration: Iteration): Pending[][] => {
  if (saved !== undefined) return restoreSequences(saved, iteration)
  const { plans, config, defaults } = iteration
  return groupByTable(plans, { mappings: config.mappings, method: defaults.method }).map(group =>
    group.map(plan => startRun(plan, { placeholders: [], rows: [] }, iteration)),
  )
}

const restoreSequences = (saved: unknown, iteration: Iteration): Pending[][] => {
  const { rows, runs, pending, bodies } = saved as SavedSequences // as saveSequences wrote them
  const { plans, spool, now } = iteration
  // The checkpoint is of this configuration: it names what is there
  const byPath = new Map([...allPlans(plans)].map(plan => [plan.path, plan]))
  const planAt = (path: string) => byPath.get(path) as JobPlan
  const restored = runs.map(({ plan: path, pages, items, volume, elapsed, watch, ...run }): JobRun => {
    const plan = planAt(path)
    return {
      ...run,
      plan,
      rows: run.rows.map(index => rows[index] ?? null),
      paginator: paginatorOf(plan, run.request, iteration),
      progress: { pages, items, volume, startedAt: now() - elapsed },
      watch: watch && new RunWatch(watch),
    }
  })
  const runAt = (index: number) => restored[index] as JobRun
  const answers = readFileSync(pathInside(spool.answers, bodies))
  let read = 0
  const restore = (one: SavedPage | SavedChildren): Pending => {
    if ('parent' in one) {
      const items = one.items.map(index => rows[index] ?? null)
      return { parent: runAt(one.parent), plan: planAt(one.plan), items, from: 0 }
    }
    const { run, request, fetched } = one
    if (fetched === undefined) return { run: runAt(run), request }
    const body = answers.subarray(read, read + fetched.bytes)
    read += fetched.bytes
    return { run: runAt(run), request, fetched: restoredAnswer(fetched, body) }
  }
  return pending.map(sequence => sequence.map(restore))
}

const restoredAnswer = (saved: NonNullable<SavedPage['fetched']>, body: Buffer): FetchedPage => {
  const { headers, url, response, ends, items, at } = saved
  return response === undefined
    ? parsedLater({ headers, url, body, at }, () => parseBody(body))
    : { response, isParsed: false, headers, url, body, ends, items, at }
}
