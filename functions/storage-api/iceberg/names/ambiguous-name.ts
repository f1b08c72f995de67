import { UserError } from '#lib/errors/errors.ts'

/** 400 `iceberg.ambiguousName`. `found`: the ids of those that the caller may read. */
export const ambiguousName = (
  kind: 'namespace' | 'table',
  name: string,
  found: readonly string[],
): UserError => {
  const ids = found.map(id => `"${id}"`).join(', ')
  const others = found.length > 1 ? ids : `${ids} and others that this token may not read`
  return new UserError(
    'iceberg.ambiguousName',
    `More than one ${kind} answers to the name "${name}": ${others}. Use the id in quotes, as the list of ${kind}s shows it.`,
  )
}
