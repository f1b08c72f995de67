import { UserError } from '../errors/errors.ts'

interface CheckDelimiterRequest {
  /** The names of the file's columns, as the user wrote them. */
  names: string[]
  /** The names are in quotes or come with the request, so they are meant literally. */
  isExplicit: boolean
  delimiter: string
  /** The columns of the existing table. Undefined: the table will be created. */
  tableColumns: string[] | undefined
}

const DELIMITERS = [',', ';', '\t', '|']

/**
 * A file of one column whose name contains another delimiter, `id;name`, almost certainly has that delimiter. Otherwise
 * it would become one column `id_name`.
 *
 * Throws `UserError` `csvImport.wrongDelimiter`. If the table already has exactly that column, the file is loaded with
 * a warning.
 */
export const checkDelimiter = ({
  names: [name, ...others],
  isExplicit,
  delimiter,
  tableColumns,
}: CheckDelimiterRequest): string[] => {
  if (name === undefined || others.length > 0 || isExplicit) return []
  const likely = DELIMITERS.find(character => character !== delimiter && name.includes(character))
  if (likely === undefined) return []
  const found = `The file has one column, ${show(name)}, when it is read with the delimiter ${show(delimiter)}.`
  const advice = `Set the delimiter to ${show(likely)}`
  if (tableColumns)
    return [
      `${found} It was loaded so, as the table has just this column. ${advice} if it is meant to be several.`,
    ]
  throw new UserError(
    'csvImport.wrongDelimiter',
    `${found} ${advice}; or, if it is one column, put its name in quotes or name it in the parameter "columns".`,
    { params: { delimiter, likelyDelimiter: likely } },
  )
}

/** A tab as `\t`, which is how parameters take it. */
const show = (text: string): string => `"${text.slice(0, 100).replaceAll('\t', '\\t')}"`
