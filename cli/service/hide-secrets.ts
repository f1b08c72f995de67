const HIDDEN = '(secret)'

/** The document without the values of keys that begin with `#`, which are secrets, in clear or sealed. */
export const withoutSecrets = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withoutSecrets)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, key.startsWith('#') ? HIDDEN : withoutSecrets(item)]),
  )
}

/** The same of one change of a document (RFC 6902). */
export const withoutSecret = <Change extends { path: string; value?: unknown }>(change: Change): Change => {
  if (change.value === undefined) return change
  const isSecret = change.path.split('/').some(part => part.startsWith('#'))
  return { ...change, value: isSecret ? HIDDEN : withoutSecrets(change.value) }
}
