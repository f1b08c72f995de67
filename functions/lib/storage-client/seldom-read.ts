import * as z from 'zod/mini'
import { UserError } from '../errors/errors.ts'
import { componentBody } from '../wire/component-body.ts'
import { changeBody, configurationBody, rowBody } from '../wire/configuration-body.ts'
import { creatorToken } from '../wire/fields.ts'
import { reads } from '../wire/reads.ts'
import { tableBody } from '../wire/table-body.ts'

/** What we read of replies that few events of a function ask for: the client loads it with the first of them. */

export const tableSchema = reads(tableBody, { columns: true, primaryKey: true })

export const componentSchema = reads(componentBody, { data: true })

const row = reads(rowBody, { id: true, name: false, isDisabled: true, configuration: true, state: true })

/** Configuration with its rows in running order. */
export const configurationSchema = reads(configurationBody, {
  id: true,
  name: true,
  version: true,
  isDisabled: true,
  configuration: true,
  state: true,
  rows: z._default(z.array(row), []),
  currentVersion: z.optional(
    reads(changeBody, {
      created: true,
      creatorToken: z.optional(reads(creatorToken, { id: z.coerce.string() })),
    }),
  ),
  /** Of our own service only. */
  authors: z._default(z.array(reads(creatorToken, { id: z.coerce.string() })), []),
  adoptedSecrets: true,
  scheduleDisarmed: z.optional(z.object({ by: reads(creatorToken, { description: true }) })),
})

export type Configuration = z.infer<typeof configurationSchema>
export type Component = z.infer<typeof componentSchema>

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
