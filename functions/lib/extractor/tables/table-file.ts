import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { AppendFile } from './append-file.ts'
import { safeName } from './safe-name.ts'
import type { WrittenTable } from './sink-types.ts'

/** Where finished tables go, and what their manifests say. */
export interface Output {
  folder: string
  bucket: string | undefined
  incremental: boolean
}

/** `<bucket>.<table>`, or `<table>` without a bucket. */
export function tableFile(output: Output, name: string): string {
  return join(
    output.folder,
    output.bucket === undefined ? fileName(name) : `${output.bucket}.${fileName(name)}`,
  )
}

/** Mapped tables keep their data type as name (facts 2.1); a path in it must not lead out of the folder. */
function fileName(name: string): string {
  return /[/\\\0]|^\.{1,2}$/.test(name) ? safeName(name) : name
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
