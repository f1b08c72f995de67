import { randomBytes } from 'node:crypto'
import { mkdirSync, readdirSync, renameSync, unlinkSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { join } from 'node:path'
import type { Database } from './database.ts'

/**
 * The files that hold the objects' bytes. Their names are random: nothing a client sends is ever part of a path.
 *
 * A body is written to `incoming/` and moves to `data/` right after the transaction that first refers to it, in the
 * same turn of the event loop. So at start, what is in `incoming/` is either referred to (killed between the two: the
 * move is finished) or belongs to a request that was never answered (removed). Nothing else has to be scanned.
 *
 * Bytes are not fsynced: a kill of the process leaves them with the kernel, and a power cut is not what this server
 * promises to survive.
 */
export class DataFiles {
  readonly #database: Database
  readonly #incoming: string
  readonly #data: string
  /** How many readers hold each file; a file without a slice goes when its last reader does. */
  readonly #readers = new Map<string, number>()

  constructor(database: Database, dataDir: string) {
    this.#database = database
    this.#incoming = join(dataDir, 'incoming')
    this.#data = join(dataDir, 'data')
    mkdirSync(this.#incoming, { recursive: true })
    for (let folder = 0; folder < 16; folder++)
      mkdirSync(join(this.#data, folder.toString(16)), { recursive: true })
    this.#recover()
  }

  /** A new file to write to. It is nobody's until a transaction refers to it and `promote` is called. */
  async create(): Promise<{ file: string; handle: FileHandle }> {
    const file = randomBytes(16).toString('hex')
    return { file, handle: await open(join(this.#incoming, file), 'wx') }
  }

  /** Call right after the commit that refers to the file, without awaiting anything in between. */
  promote(file: string): void {
    renameSync(join(this.#incoming, file), this.path(file))
  }

  /** Removes a file that was created but will not be referred to. */
  discard(file: string): void {
    unlinkSync(join(this.#incoming, file))
  }

  path(file: string): string {
    return join(this.#data, file.slice(0, 1), file)
  }

  /** Keeps the files in place until the returned function is called, whatever is deleted meanwhile. */
  hold(files: Iterable<string>): () => void {
    const held = [...new Set(files)]
    for (const file of held) this.#readers.set(file, (this.#readers.get(file) ?? 0) + 1)
    let isHeld = true
    return () => {
      if (!isHeld) return
      isHeld = false
      for (const file of held) {
        const others = (this.#readers.get(file) ?? 1) - 1
        if (others > 0) this.#readers.set(file, others)
        else this.#readers.delete(file)
      }
      this.collectGarbage()
    }
  }

  /** Removes the files that no slice refers to and nobody reads. Call after a commit that may have released some. */
  collectGarbage(): void {
    const garbage = this.#database
      .all<{ file: string }>('SELECT file FROM garbage')
      .filter(({ file }) => !this.#readers.has(file))
    if (garbage.length === 0) return
    // Unlinked before the row goes: killed in between, the next start only finds a file already gone.
    for (const { file } of garbage) removeIfThere(this.path(file))
    this.#database.transaction(() => {
      for (const { file } of garbage) this.#database.run('DELETE FROM garbage WHERE file = ?', file)
    })
  }

  #recover(): void {
    for (const file of readdirSync(this.#incoming)) {
      const isReferredTo =
        this.#database.get('SELECT 1 FROM slices WHERE file = ? LIMIT 1', file) !== undefined ||
        this.#database.get('SELECT 1 FROM garbage WHERE file = ?', file) !== undefined
      if (isReferredTo) this.promote(file)
      else unlinkSync(join(this.#incoming, file))
    }
    this.collectGarbage()
  }
}

const removeIfThere = (path: string): void => {
  try {
    unlinkSync(path)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error
  }
}
