import { rm, writeFile } from 'node:fs/promises'
import { UserError } from '../../errors/errors.ts'
import { isFileName, pathInside } from '../../paths/path-inside.ts'
import { safeName } from '../values/php/php-values.ts'
import type { TableLoad, WrittenTable } from './sink-types.ts'

/** Where finished tables go. */
export interface Output {
  folder: string
  bucket: string | undefined
  /** Tables by the name of their file, as they are opened. */
  files: Map<string, string>
}

/**
 * The path of a table's file.
 *
 * @throws UserError `extractor.tables.fileName` when its name gives no file, or the file of another table
 */
export const tableFile = (output: Output, name: string): string => {
  const file = tableFileName(output.bucket, name)
  const problem =
    !isFileName(file) || !isFileName(`${file}.manifest`)
      ? 'which is not the name of a file'
      : (output.files.get(file) ?? name) !== name
        ? `which is the file of the table "${output.files.get(file)}"`
        : undefined
  if (problem !== undefined)
    throw new UserError(
      'extractor.tables.fileName',
      `The table "${name}" would be written to "${file}", ${problem}. Set "dataType" or "outputBucket" to another name.`,
    )
  output.files.set(file, name)
  for (const beside of ['.manifest', '.part']) pathInside(output.folder, file + beside)
  return pathInside(output.folder, file)
}

/** `<bucket>.<table>`, or `<table>` without a bucket. */
export const tableFileName = (bucket: string | undefined, name: string): string =>
  bucket === undefined ? fileName(name) : `${bucket}.${fileName(name)}`

/**
 * Mapped tables keep their data type as name. One that is the path of an endpoint, or would take the place of a file
 * beside another table, is named as an automatic table is.
 */
const fileName = (name: string): string =>
  isFileName(name) && !/\.(manifest|part)$/i.test(name) ? name : safeName(name)

/**
 * The manifest beside a table (docs/reference/extractor-tables.md#files): no destination without a bucket, no primary
 * key without one.
 */
export const writeManifest = async (output: Output, table: WrittenTable, load: TableLoad): Promise<void> => {
  const manifest = {
    ...(output.bucket === undefined ? {} : { destination: `in.c-${output.bucket}.${table.name}` }),
    incremental: load.incremental,
    ...(load.primaryKey.length === 0 ? {} : { primary_key: load.primaryKey }),
    ...(table.kinds && {
      types: 'detect',
      text_columns: table.columns.filter(column => table.kinds?.isText(column)),
    }),
  }
  await writeFile(`${table.file}.manifest`, JSON.stringify(manifest))
}

/** Takes finished tables back: a run that fails leaves none. */
export const removeTables = async (tables: readonly WrittenTable[]): Promise<void> => {
  for (const { file } of tables) {
    await rm(file, { force: true })
    await rm(`${file}.manifest`, { force: true })
  }
}
