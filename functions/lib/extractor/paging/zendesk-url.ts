import type { PaginationOf } from '../config/pagination-schema.ts'
import type { Paginator, PaginatorInput } from './paginator.ts'
import { responseUrlPaginator } from './response-url.ts'

// Zendesk answers requests for the last minutes with an error (its guide "Incremental exports")
const tooRecentSeconds = 6 * 60

/**
 * `response.url` that also stops when `start_time` in the next address is younger than six minutes.
 *
 * ```
 * { "method": "zendesk.response.url" }
 * GET /tickets?start_time=0    200 { "tickets": [...], "next_page": "https://.../tickets?start_time=1763740000" }
 * ```
 */
export const zendeskUrlPaginator = (
  settings: PaginationOf<'zendesk.response.url'>,
  input: PaginatorInput,
): Paginator => {
  const paginator = responseUrlPaginator(settings, input, query => {
    const start = query['start_time']
    return typeof start === 'string' && /^\d+$/.test(start) && Number(start) > input.now() - tooRecentSeconds
  })
  return { ...paginator, leavesNext: true, ended: `${paginator.ended}, or its start_time is too recent` }
}
