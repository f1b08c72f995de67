import { UserError } from '../errors/errors.ts'
import type { Configuration } from './seldom-read.ts'

/** `isCut`: the service had no room for all that was asked for. */
type ReadPage = (query: URLSearchParams) => Promise<{ page: Configuration[]; isCut: boolean }>

export interface ListOptions {
  /** One that alone is larger than a reply may be was left out: the first after this id and so many others. */
  readonly onTooLarge: (place: { after: string | undefined; offset: number }) => void
}

/** Some 50 KB each fit into the largest reply of the gateway. */
const PAGE_SIZE = 100

/**
 * The configurations of a component that have a schedule of their own, by id. A page that is larger than a reply may be
 * is asked for in smaller ones.
 *
 * A service that knows no pages or does not choose by schedule answers with more or all of them: callers look at each.
 */
export async function* listScheduled(
  readPage: ReadPage,
  { onTooLarge }: ListOptions,
): AsyncGenerator<Configuration> {
  let limit = PAGE_SIZE
  let offset = 0
  let after: string | undefined
  for (;;) {
    const query = {
      hasSchedule: '1',
      limit: String(limit),
      offset: String(offset),
      ...(after !== undefined && { sinceId: after }),
    }
    const read = await readPage(new URLSearchParams(query)).catch((error: unknown) => {
      if (error instanceof UserError && error.code === 'storage.responseTooLarge') return undefined
      throw error
    })
    if (read === undefined) {
      if (limit === 1) onTooLarge({ after, offset: offset++ })
      else limit = Math.ceil(limit / 4)
      continue
    }
    const { page, isCut } = read
    // A service that does not know `sinceId` begins again.
    if (after !== undefined && page.some(({ id }) => id === after)) return
    yield* page
    if (page.length !== limit && !isCut) return
    after = page.at(-1)?.id
    offset = 0
    limit = PAGE_SIZE
  }
}
