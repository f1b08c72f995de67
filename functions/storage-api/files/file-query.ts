import { UserError } from '../../lib/errors/errors.ts'
import type { FileRecord } from '../../lib/storage/files/file-store.ts'
import { matchesPattern, parseQuery, type QueryTerm } from '../http/query-language.ts'

type FileFilter = (file: FileRecord) => boolean

/** Searchable fields, each with the values to compare. */
const fields: Record<string, (file: FileRecord) => string[]> = {
  id: file => [String(file.id)],
  name: file => [file.name],
  tags: file => file.tags,
  runid: file => (file.runId === null ? file.runIds : [file.runId, ...file.runIds]),
  issliced: file => [String(file.isSliced)],
  isencrypted: file => [String(file.isEncrypted)],
  ispublic: file => [String(file.isPublic)],
  sizebytes: file => [String(file.sizeBytes)],
}

/**
 * Makes the filter of a search for files: `tags:"a" AND tags:"b"`, `id:1`, `name:x*`, words in the name. Error: 400
 * `query.syntax`.
 */
export const parseFileQuery = (query: string): FileFilter =>
  parseQuery(query, { termFilter, refuse: syntaxError })

const termFilter = ({ field, value, isQuoted }: QueryTerm): FileFilter => {
  if (field === undefined)
    return file => file.name.toLowerCase().includes(value.replaceAll(/[*?]/g, '').toLowerCase())
  const valuesOf = Object.hasOwn(fields, field.toLowerCase()) ? fields[field.toLowerCase()] : undefined
  if (!valuesOf)
    throw syntaxError(
      `there is no field "${field}"; there are id, name, tags, runId, isSliced, isEncrypted, isPublic and sizeBytes`,
    )
  const isMatch = isQuoted
    ? (found: string) => found === value
    : (found: string) => matchesPattern(value, found)
  return file => valuesOf(file).some(isMatch)
}

const syntaxError = (reason: string) =>
  new UserError('query.syntax', `The query cannot be understood: ${reason}.`)
