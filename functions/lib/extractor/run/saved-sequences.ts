import { isUtf8 } from 'node:buffer'
import * as z from 'zod'
import { UserError } from '../../errors/errors.ts'
import type { Json } from '../../json/json-value.ts'
import { RunWatch, type SavedWatch } from '../paging/completeness.ts'
import type { Progress } from '../paging/stop-rules.ts'
import { type FetchedPage, fingerprint, parsedLater } from '../requests/http/fetched-page.ts'
import type { PageRequest } from '../requests/http/page-request.ts'
import { type PageEnd, parseBody } from '../requests/http/parse-response.ts'
import type { JobContext } from './job-context.ts'
import { allPlans, type JobPlan } from './job-plan.ts'
import { isPage, type JobRun, type Pending, type PendingChildren, type PendingPage } from './job-run.ts'
import { paginatorOf } from './start-run.ts'

/**
 * The sequences of the iteration under way, as JSON: runs and rows once each, pages by reference to them. Its keys are
 * those of stored checkpoints, in which a sequence is called a lane.
 */
interface SavedSequences {
  rows: Json[]
  runs: SavedRun[]
  lanes: SavedPending[][]
}

type SavedPending = SavedPage | SavedChildren

/** What is needed to go on with a run as if nothing had happened. What is not there is left out by JSON. */
interface SavedRun
  extends Pick<JobRun, 'request' | 'columns' | 'placeholders' | 'step'>,
    Omit<Progress, 'startedAt'> {
  plan: string
  rows: number[]
  /** Seconds since the first request; a pause between legs does not count. */
  elapsed: number
  last: string | undefined
  watch: SavedWatch | undefined
}

interface SavedPage {
  run: number
  request: PageRequest
  fetched?: {
    body: string
    base64?: true
    headers: Record<string, string>
    url: string
    response: Json | undefined
    ends: PageEnd | undefined
    items: FetchedPage['items']
    listAt: number | undefined
  }
}

interface SavedChildren {
  parent: number
  plan: string
  items: number[]
}

/** Bodies that came and are not yet written may take this much of a checkpoint; others are asked for again. */
const defaultBodyBudget = 64 * 1024 * 1024

/** @param now seconds since 1970 */
export const saveSequences = (
  sequences: readonly (readonly Pending[])[],
  now: number,
  bodyBudget = defaultBodyBudget,
): SavedSequences => {
  let budget = bodyBudget
  const rows: Json[] = []
  const rowIndex = new Map<Json, number>()
  const runs: SavedRun[] = []
  const runIndex = new Map<JobRun, number>()

  const saveRow = (row: Json): number => {
    const known = rowIndex.get(row)
    if (known !== undefined) return known
    rowIndex.set(row, rows.push(row) - 1)
    return rows.length - 1
  }
  const saveRun = (run: JobRun): number => {
    const known = runIndex.get(run)
    if (known !== undefined) return known
    const { plan, request, columns, placeholders, step, watch, last } = run
    const { startedAt, ...progress } = run.progress
    runs.push({
      ...progress,
      plan: plan.path,
      request,
      columns,
      placeholders,
      step,
      rows: run.rows.map(saveRow),
      elapsed: now - startedAt,
      last: typeof last === 'object' ? fingerprint(last.response) : last,
      watch: watch?.save(),
    })
    runIndex.set(run, runs.length - 1)
    return runs.length - 1
  }
  const savePage = ({ run, request, fetched }: PendingPage): SavedPage => {
    // Of what is in tables in part, the rest must be the same
    const fits = fetched !== undefined && (fetched.body.length <= budget || fetched.listAt !== undefined)
    if (fits) budget -= fetched.body.length
    return {
      run: saveRun(run),
      request,
      ...(fits ? { fetched: saveFetched(fetched) } : {}),
    }
  }
  const saveChildren = ({ parent, plan, items, from }: PendingChildren): SavedChildren => ({
    parent: saveRun(parent),
    plan: plan.path,
    items: items.slice(from).map(saveRow),
  })
  const save = (pending: Pending): SavedPending =>
    isPage(pending) ? savePage(pending) : saveChildren(pending)
  return { rows, runs, lanes: sequences.map(sequence => sequence.map(save)) }
}

export const ofAnother = (): UserError =>
  new UserError(
    'extractor.checkpoint',
    'The checkpoint belongs to another configuration: start anew without it.',
  )

const damaged = (): UserError => new UserError('extractor.checkpoint', 'The checkpoint is damaged.')

const saveFetched = (fetched: FetchedPage): NonNullable<SavedPage['fetched']> => {
  const { body, headers, url, isParsed, ends, items, listAt } = fetched
  const { 'set-cookie': _, ...others } = headers
  return {
    ...(isUtf8(body) ? { body: body.toString('utf8') } : { body: body.toString('base64'), base64: true }),
    // Expressions of paginators may read any of them
    headers: Object.fromEntries(
      Object.entries(others).map(([name, value]) => [name, [value ?? ''].flat().join(', ')]),
    ),
    url,
    response: isParsed ? undefined : fetched.response,
    ends,
    items,
    listAt,
  }
}

/** @throws UserError `extractor.checkpoint` when the configuration has no such job any more */
export const restoreSequences = (
  saved: unknown,
  plans: readonly JobPlan[],
  context: JobContext,
): Pending[][] => {
  const { rows, runs, lanes } = StoredSequences.parse(saved) as unknown as SavedSequences // the shape that saveSequences wrote, checked above
  const byPath = new Map([...allPlans(plans)].map(plan => [plan.path, plan]))
  const planAt = (path: string): JobPlan => {
    const plan = byPath.get(path)
    if (plan !== undefined) return plan
    throw ofAnother()
  }
  const restored = runs.map(({ plan: path, pages, items, volume, elapsed, watch, ...run }): JobRun => {
    const plan = planAt(path)
    const above = run.rows.map(index => rows[index] ?? null)
    return {
      ...run,
      plan,
      rows: above,
      paginator: paginatorOf(plan, run.request, { rows: above, placeholders: run.placeholders }, context),
      progress: { pages, items, volume, startedAt: context.now() - elapsed },
      watch: watch && new RunWatch(watch),
    }
  })
  const runAt = (index: number): JobRun => {
    const run = restored[index]
    if (run !== undefined) return run
    throw damaged()
  }
  const restore = (pending: SavedPending): Pending => {
    if ('parent' in pending) {
      const items = pending.items.map(index => rows[index] ?? null)
      return { parent: runAt(pending.parent), plan: planAt(pending.plan), items, from: 0 }
    }
    const { run, request, fetched } = pending
    return {
      run: runAt(run),
      request,
      ...(fetched === undefined ? {} : { fetched: restoreFetched(fetched) }),
    }
  }
  return lanes.map(sequence => sequence.map(restore))
}

const restoreFetched = (saved: NonNullable<SavedPage['fetched']>): FetchedPage => {
  const { headers, url, response, ends, items, listAt } = saved
  const body = Buffer.from(saved.body, saved.base64 === true ? 'base64' : 'utf8')
  if (response === undefined)
    return Object.assign(
      parsedLater({ headers, url, body }, () => parseBody(body)),
      { listAt },
    )
  return { response, isParsed: false, headers, url, body, ends, items, listAt }
}

const StoredSequences = z.object({
  rows: z.array(z.unknown()),
  runs: z.array(z.looseObject({ plan: z.string(), rows: z.array(z.number()) })),
  lanes: z.array(
    z.array(
      z.union([
        z.looseObject({ run: z.number(), request: z.looseObject({ endpoint: z.string() }) }),
        z.object({ parent: z.number(), plan: z.string(), items: z.array(z.number()) }),
      ]),
    ),
  ),
})
