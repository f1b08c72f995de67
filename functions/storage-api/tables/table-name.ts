import { UserError } from '../../lib/errors/errors.ts'
import { hasNameCharacters } from '../../lib/wire/storage-ids.ts'

const MAX_LENGTH = 96

/**
 * The name of a new table, and its display name (by default the same).
 *
 * Error: 400 `storage.tables.validation`.
 */
export const checkTableName = ({
  name,
  displayName,
}: {
  name?: string | undefined
  displayName?: string | undefined
}): { name: string; displayName: string } => {
  if (!name) throw invalid('Table create option "name" is required and cannot be empty.')
  const reason = whyBad(name)
  if (reason) throw invalid(`Invalid table name: ${reason}`)
  if (!displayName) return { name, displayName: name }

  const displayReason = displayName.startsWith('_')
    ? `'${displayName.slice(0, 200)}' contains not allowed characters. Cannot start with underscore.`
    : whyBad(displayName)
  if (displayReason) throw invalid(`Invalid data - displayName: ${displayReason}`)
  return { name, displayName }
}

const whyBad = (name: string): string | undefined => {
  const shown = name.slice(0, 200)
  if (!hasNameCharacters(name))
    return `'${shown}' contains not allowed characters. Only alphanumeric characters dash and underscores are allowed.`
  return name.length > MAX_LENGTH ? `'${shown}' is longer than ${MAX_LENGTH} characters.` : undefined
}

const invalid = (message: string) => new UserError('storage.tables.validation', message)
