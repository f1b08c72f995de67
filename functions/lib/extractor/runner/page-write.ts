import type { FetchedPage } from '../http/fetched-page.ts'
import type { Json } from '../tables/json-value.ts'
import type { PageAhead } from '../tables/page-threads.ts'
import type { AddOptions, TableSink } from '../tables/sink-types.ts'
import type { JobContext } from './job-context.ts'
import type { PageResult, PageWork } from './job-run.ts'
import { locateError } from './locate-error.ts'
import { shapedRows } from './shaped-rows.ts'
import type { Write } from './write-queue.ts'

interface PageWriteOptions {
  sink: TableSink
  context: JobContext
  /** Called after the rows of a page went to the sink, with its address. */
  onPage?: ((url: string) => void) | undefined
}

/** The rows of a page on their way to the tables. */
export const createPageWrite = (
  work: PageWork,
  { items: given, bytes, source }: Pick<PageResult, 'items' | 'bytes' | 'source'>,
  { url }: Pick<FetchedPage, 'url'>,
  { sink, context, onPage }: PageWriteOptions,
): Write => {
  const { plan, columns } = work.run
  const added: AddOptions = {
    ...(Object.keys(columns).length > 0 ? { parent: columns } : {}),
    ...(source === undefined ? {} : { source }),
  }
  const count = bytes?.page.count ?? given.length
  let items: readonly Json[] = given
  let ahead: PageAhead | undefined = bytes?.ahead

  const noteKeys = (rows: readonly Json[]): void => context.noteKeys?.(work.run, rows)
  const addRows = (rows: readonly Json[], options: AddOptions): void => {
    noteKeys(rows)
    sink.add(plan.dataType, rows, options)
  }
  const add = (): void => {
    if (ahead !== undefined) sink.take(plan.dataType, count, added, ahead)
    else if (plan.shape === undefined) addRows(items, added)
    else
      for (const rows of shapedRows(work.run, plan.shape, items, context)) addRows(rows, { parent: columns })
  }

  const begin = (here?: 'here'): boolean => {
    if (ahead !== undefined) return false
    ahead = sink.begin(plan.dataType, items, added, here)
    if (ahead === undefined) return false
    located(work, () => noteKeys(items))
    items = [] // several pages wait at once; their bodies are enough
    return true
  }

  return {
    ...(source === undefined || plan.shape !== undefined ? {} : { begin }),
    get waitsFor() {
      return ahead?.isDone === false ? ahead.done : undefined
    },
    run: () => {
      if (count > 0) located(work, add)
      onPage?.(url)
    },
  }
}

export const located = <T>(work: PageWork, use: () => T): T => {
  try {
    return use()
  } catch (error) {
    throw locateError(error, work)
  }
}
