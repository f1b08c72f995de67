import { UserError } from '../../errors/errors.ts'
import type { Configuration } from './configuration.ts'

/** What one reply of the gateway has room for, without its headers. */
const MAX_BYTES = 6_200_000

/** Names, dates and quotes around the fields of a row, or of the configuration itself. */
const OWN_BYTES = 1_000

/**
 * Refuses a configuration that no reply could show: its detail, a run and the console read it whole. One that is larger
 * already may become smaller.
 *
 * Error: 413 `storage.requestTooLarge`.
 */
export const refuseTooLarge = (before: Configuration | undefined, next: Configuration): void => {
  if (next === before) return
  const bytes = bytesOf(next)
  if (bytes <= MAX_BYTES || (before !== undefined && bytes <= bytesOf(before))) return
  throw new UserError(
    'storage.requestTooLarge',
    `The configuration would have ${bytes.toLocaleString('en-US')} bytes with its rows and states; a reply has room for ${MAX_BYTES.toLocaleString('en-US')}. ` +
      'Move rows into another configuration.',
  )
}

/** In a reply, where JSON stands in the text of another JSON. An upper bound of small ones, which are most. */
const bytesOf = (configuration: Configuration): number => {
  const { content, changed } = configuration.current
  const states = new Map(configuration.rows.map(({ id, state }) => [id, state]))
  const rows = content.rows.map(row => ({ ...row, state: states.get(row.id) ?? '' }))
  const parts = [{ ...content, changed, state: configuration.state }, ...rows]
  const sum = (size: (json: string[], texts: string[]) => number): number =>
    parts.reduce(
      (bytes, { configuration: json, state, name, description, changed: { description: why } }) =>
        bytes + OWN_BYTES + size([json, state], [name, description, why]),
      0,
    )
  // No character takes more than 3 bytes in JSON, and 8 where it is escaped twice
  const atMost = sum((json, texts) => 3 * lengthOf(json) + 8 * lengthOf(texts))
  if (atMost <= MAX_BYTES) return atMost
  return sum((json, texts) => lengthOf(json.map(inJson)) + lengthOf(texts.map(text => inJson(inJson(text)))))
}

/** Each as long as its bytes. */
const inJson = (text: string): string => Buffer.from(JSON.stringify(text)).toString('latin1')

const lengthOf = (texts: readonly string[]): number => texts.reduce((sum, { length }) => sum + length, 0)
