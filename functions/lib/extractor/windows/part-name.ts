import { shortDigest } from '../../digests.ts'
import { UserError } from '../../errors/errors.ts'
import { toText } from '../php/php-values.ts'
import type { Json } from '../tables/json-value.ts'

/** A longer name is replaced by its digest: the state has one for each parent row. */
const LONGEST_NAME = 100

/**
 * What tells the progress of one parent row from that of the others: the values that its request is made of.
 *
 * @throws UserError `extractor.config.invalid` when there are none
 */
export const partName = (
  endpoint: string,
  placeholders: readonly { name: string; value: Json }[],
): string => {
  if (placeholders.length === 0)
    throw new UserError(
      'extractor.config.invalid',
      `Invalid configuration: the child job '${endpoint}' has windows and no "placeholders", which tell the parent rows apart.`,
    )
  const name = placeholders.map(({ name, value }) => `${name}=${toText(value)}`).join('&')
  return name.length <= LONGEST_NAME ? name : shortDigest(name, 22)
}
