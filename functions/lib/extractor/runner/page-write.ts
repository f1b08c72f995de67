import type { FetchedPage } from '../http/fetched-page.ts'
import type { Json } from '../tables/json-value.ts'
import type { AddOptions, TableSink } from '../tables/sink-types.ts'
import type { JobContext } from './job-context.ts'
import type { PageResult, PageWork } from './job-run.ts'
import { locateError } from './locate-error.ts'
import { shapedRows } from './shaped-rows.ts'

interface PageWriteOptions {
  sink: TableSink
  context: JobContext
  /** Called after the rows of a page went to the sink, with its address. */
  onPage?: ((url: string) => void) | undefined
}

/** Hands the rows of a page to the tables. */
export const writePage = (
  work: PageWork,
  { items, bytes, source }: Pick<PageResult, 'items' | 'bytes' | 'source'>,
  { url }: Pick<FetchedPage, 'url'>,
  { sink, context, onPage }: PageWriteOptions,
): void => {
  const { plan, columns } = work.run
  const added: AddOptions = {
    ...(Object.keys(columns).length > 0 ? { parent: columns } : {}),
    ...(source === undefined ? {} : { source }),
  }
  const addRows = (rows: readonly Json[], options: AddOptions): void => {
    context.noteKeys?.(work.run, rows)
    sink.add(plan.dataType, rows, options)
  }
  located(work, () => {
    if (bytes !== undefined) sink.take(plan.dataType, bytes, added)
    else if (plan.shape !== undefined)
      for (const rows of shapedRows(work.run, plan.shape, items, context)) addRows(rows, { parent: columns })
    else if (items.length > 0) addRows(items, added)
  })
  onPage?.(url)
}

export const located = <T>(work: PageWork, use: () => T): T => {
  try {
    return use()
  } catch (error) {
    throw locateError(error, work)
  }
}
