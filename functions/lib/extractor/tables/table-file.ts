import { closeSync, openSync, writeSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { WrittenTable } from './sink-types.ts'

const FLUSH_CHARACTERS = 1 << 16

/** Where finished tables go, and what their manifests say. */
export interface Output {
  folder: string
  bucket: string | undefined
  incremental: boolean
}

/** `<bucket>.<table>`, or `<table>` without a bucket. */
export function tableFile(output: Output, name: string): string {
  return join(output.folder, output.bucket === undefined ? name : `${output.bucket}.${name}`)
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
  private pending = ''

  constructor(file: string, flags: 'w' | 'a' = 'w') {
    this.file = file
    this.descriptor = openSync(file, flags)
  }

  write(line: string): void {
    this.pending += line
    this.lines++
    if (this.pending.length > FLUSH_CHARACTERS) this.flush()
  }

  flush(): void {
    if (this.pending === '') return
    const data = Buffer.from(this.pending)
    for (let written = 0; written < data.length; ) written += writeSync(this.descriptor, data, written)
    this.bytes += data.length
    this.pending = ''
  }

  close(): void {
    this.flush()
    closeSync(this.descriptor)
  }
}
