import { UserError } from '../../lib/errors/errors.ts'
import { hasNameCharacters } from '../../lib/wire/storage-ids.ts'

const MAX_NAME_LENGTH = 96

/** `orders` and `c-orders` are both the bucket `c-orders`. Error: 400 `storage.buckets.validation`. */
export const bucketName = (name: string): string => {
  const bare = name.startsWith('c-') ? name.slice(2) : name
  refuseBadName('name', bare)
  return `c-${bare}`
}

export const checkDisplayName = (displayName: string): string => {
  refuseBadName('displayName', displayName)
  if (displayName.startsWith('_'))
    throw invalid('displayName', `'${displayName}' cannot start with underscore.`)
  return displayName
}

const refuseBadName = (field: string, name: string): void => {
  if (!hasNameCharacters(name))
    throw invalid(
      field,
      `'${name.slice(0, 200)}' contains not allowed characters. Only alphanumeric characters dash and underscores are allowed.`,
    )
  if (name.length > MAX_NAME_LENGTH)
    throw invalid(field, `'${name.slice(0, 200)}' is longer than ${MAX_NAME_LENGTH} characters.`)
}

const invalid = (field: string, reason: string) =>
  new UserError('storage.buckets.validation', `Invalid data - ${field}: ${reason}`)
