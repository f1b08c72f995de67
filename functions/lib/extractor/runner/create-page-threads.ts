import type { ExtractorConfig } from '../config/parse-config.ts'
import type { ExtractOptions } from '../extract-options.ts'
import type { Log } from '../masking/log.ts'
import { PageThreads } from '../tables/page-threads.ts'

/**
 * Threads that write rows besides the one that runs the extraction. None where the rows written so far decide what is asked for next: with
 * a limit of rows pages would be read that one thread would not read.
 */
export const createPageThreads = (
  { api }: ExtractorConfig,
  { threads = 1, maxRows }: ExtractOptions,
  log: Log,
): PageThreads | undefined =>
  threads < 2 || maxRows !== undefined || api.limits?.rows !== undefined
    ? undefined
    : new PageThreads({ threads: threads - 1, warn: message => log.warning(message) })
