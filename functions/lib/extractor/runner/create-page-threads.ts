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
  options: ExtractOptions,
  log: Log,
): PageThreads | undefined => {
  const threads = api.http?.threads ?? options.threads ?? 1
  return threads < 2 || options.maxRows !== undefined || api.limits?.rows !== undefined
    ? undefined
    : new PageThreads({ threads: threads - 1, warn: message => log.warning(message) })
}
