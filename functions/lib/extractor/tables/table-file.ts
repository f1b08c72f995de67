import { closeSync, ftruncateSync, openSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { safeName } from './safe-name.ts'
import type { WrittenTable } from './sink-types.ts'
import { TextBuffer } from './write-text.ts'

const BUFFER_BYTES = 1 << 17

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

/** A file written line by line in large pieces; made when opened, so a table without rows exists too. */
export class LineFile {
  readonly file: string
  lines = 0
  bytes = 0
  private readonly descriptor: number
  private readonly buffer = new TextBuffer(BUFFER_BYTES)

  constructor(file: string, flags: 'w' | 'a' = 'w') {
    this.file = file
    this.descriptor = openSync(file, flags)
  }

  /** Goes on after a checkpoint; what a later, lost run wrote behind it is cut off. */
  static resume(file: string, bytes: number, lines: number): LineFile {
    const out = new LineFile(file, 'a')
    ftruncateSync(out.descriptor, bytes)
    out.bytes = bytes
    out.lines = lines
    return out
  }

  write(line: string): void {
    this.bytes += this.buffer.append(this.descriptor, line)
    this.lines++
  }

  flush(): void {
    this.buffer.flush(this.descriptor)
  }

  close(): void {
    this.flush()
    closeSync(this.descriptor)
  }
}
