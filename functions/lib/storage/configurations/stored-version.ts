import { z } from 'zod'
import type { Reference } from '../db/document-cache.ts'
import { content, type Row, rowSchema, type Version, version } from './configuration.ts'
import { formatReferences, parseReferences } from './row-references.ts'

type VersionOfReferences = Omit<Version, 'content'> & {
  content: Omit<Version['content'], 'rows'> & { rows: Reference[] }
}

const referenceTo = ({ id, version: number }: Row): Reference => [id, number]

/** Reads a stored version, which refers to its rows. In version 0.1 it contained them: then they are `embedded`. */
export const storedVersion = version
  .extend({ content: content.extend({ rows: z.union([z.string(), z.array(rowSchema)]) }) })
  .transform(
    ({ content: { rows, ...rest }, ...parts }): { version: VersionOfReferences; embedded: Row[] } => {
      const isCurrentForm = typeof rows === 'string'
      const references = isCurrentForm ? parseReferences(rows) : rows.map(referenceTo)
      return {
        version: { ...parts, content: { ...rest, rows: references } },
        embedded: isCurrentForm ? [] : rows,
      }
    },
  )

export const versionText = ({ content: { rows, ...rest }, ...parts }: Version): string =>
  JSON.stringify({ ...parts, content: { ...rest, rows: formatReferences(rows.map(referenceTo)) } })

/** The version with its rows. Undefined when a row is missing. */
export const completeVersion = (
  { content: { rows, ...rest }, ...parts }: VersionOfReferences,
  rowsById: ReadonlyMap<string, Row>,
): Version | undefined => {
  const complete = rows.flatMap(([id]) => rowsById.get(id) ?? [])
  return complete.length < rows.length ? undefined : { ...parts, content: { ...rest, rows: complete } }
}
