import { writeFile } from 'node:fs/promises'
import { UserError } from '../../errors/errors.ts'
import { isFileName, pathInside } from '../../paths/path-inside.ts'
import { safeName } from '../php/safe-name.ts'
import { AppendFile } from './append-file.ts'
import type { WrittenTable } from './sink-types.ts'

/** Where finished tables go, and what their manifests say. */
export interface Output {
  folder: string
  bucket: string | undefined
  incremental: boolean
  /** Tables by the name of their file, as they are opened. */
  files: Map<string, string>
}

/**
 * `<bucket>.<table>`, or `<table>` without a bucket.
 *
 * @throws UserError `extractor.tables.fileName` when that names no file, or the file of another table
 */
export function tableFile(output: Output, name: string): string {
  const table = fileName(name)
  const file = output.bucket === undefined ? table : `${output.bucket}.${table}`
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

/**
 * Mapped tables keep their data type as name. One that is the path of an endpoint, or would take the place of a file
 * beside another table, is named as an automatic table is.
 */
function fileName(name: string): string {
  return isFileName(name) && !/\.(manifest|part)$/i.test(name) ? name : safeName(name)
}

/** The manifest beside a table (facts 2.8): no destination without a bucket, no primary key without one. */
export async function writeManifest(output: Output, table: WrittenTable): Promise<void> {
  const manifest = {
    ...(output.bucket === undefined ? {} : { destination: `in.c-${output.bucket}.${table.name}` }),
    incremental: output.incremental,
    ...(table.primaryKey.length === 0 ? {} : { primary_key: table.primaryKey }),
  }
  await writeFile(`${table.file}.manifest`, JSON.stringify(manifest))
}

/** A file written line by line, header included; made even when no line comes. */
export class LineFile {
  lines: number
  private readonly out: AppendFile

  constructor(file: string, bytes = 0, lines = 0) {
    this.out = new AppendFile(file, bytes)
    this.lines = lines
  }

  get file(): string {
    return this.out.path
  }

  get bytes(): number {
    return this.out.bytes
  }

  write(line: string): void {
    this.out.write(line)
    this.lines++
  }

  flush(): void {
    this.out.flush()
  }

  finish(): void {
    this.out.finish()
  }
}
