import { text } from '../http/fields.ts'

const MAX_LENGTH = 200

/** Clients use `\`, `:`, `@` and spaces in ids; `/`, `?`, `#` and `%` mean something in paths and keys. */
const CHARACTERS = /^[A-Za-z0-9_.:@\\ -]+$/

/**
 * Ids of configurations and rows: what fits a sort key and a path. Compared character by character, so a space at an end,
 * which nobody sees, is refused; `.` and `..` would be steps in a path.
 */
export const isEntityId = (id: string): boolean =>
  id.length <= MAX_LENGTH && CHARACTERS.test(id) && id.trim() === id && id !== '.' && id !== '..'

/** An id that a client chooses. Empty or absent: the service makes one. */
export const entityId = () =>
  text({ max: MAX_LENGTH })
    .refine(id => id === '' || isEntityId(id), {
      error:
        'This value should hold letters, digits, dots, dashes, underscores, colons, backslashes, "@" and inner spaces only.',
    })
    .optional()
