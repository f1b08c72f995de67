import type { z } from 'zod'
import { UserError } from '../../lib/errors/errors.ts'
import { integer, text, unlessBlank } from '../http/fields.ts'

const MAX_PAGE = 1000

/** `pageToken` empty asks for the first page. Without it everything comes at once, as the specification wants. */
export const pageFields = {
  pageToken: text({ max: 1000 }).optional(),
  pageSize: unlessBlank(integer({ min: 1 })),
}

type PageQuery = z.output<z.ZodObject<typeof pageFields>>

/**
 * One page of items that are in the order of their names, and the token of the next. The token is the last name of its page,
 * so that items which come and go between two requests move no others.
 */
export const pageOf = <Item extends { name: string }>(
  items: readonly Item[],
  { pageToken, pageSize = MAX_PAGE }: PageQuery,
): { items: readonly Item[]; nextPageToken: string | null } => {
  if (pageToken === undefined) return { items, nextPageToken: null }
  const after = readToken(pageToken)
  const rest = items.filter(({ name }) => name > after)
  const page = rest.slice(0, Math.min(pageSize, MAX_PAGE))
  const last = page.at(-1)
  const hasMore = last !== undefined && rest.length > page.length
  return { items: page, nextPageToken: hasMore ? Buffer.from(last.name).toString('base64url') : null }
}

const readToken = (token: string): string => {
  const name = Buffer.from(token, 'base64url').toString('utf8')
  if (Buffer.from(name).toString('base64url') === token) return name
  throw new UserError('storage.validation', 'The pageToken is not one that this catalog gave.')
}
