import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Database } from '../../durable/database.ts'
import type { DiskFile } from '../../durable/disk.ts'
import type { DurableFiles } from '../../durable/durable-files.ts'

/**
 * The files that hold the objects' bytes. Their names are random: nothing a client sends is ever part of a path.
 *
 * A body is written to its file, and file and name are synced, before the transaction that first refers to it; a file is
 * removed after the transaction that last referred to it. So a file is there whenever the database says so, and at start
 * the files that it does not know belong to requests that were never answered, and go. Small files have no file of
 * their own: the database holds them.
 */
export class DataFiles {
  readonly #database: Database
  readonly #files: DurableFiles
  readonly #data: string
  /** How many readers hold each file; a file without a slice goes when its last reader does. */
  readonly #readers = new Map<string, number>()
  #collecting: Promise<void> | undefined

  private constructor(database: Database, files: DurableFiles, dataDir: string) {
    this.#database = database
    this.#files = files
    this.#data = join(dataDir, 'data')
  }

  static async open(database: Database, files: DurableFiles, dataDir: string): Promise<DataFiles> {
    const opened = new DataFiles(database, files, dataDir)
    // The database was synced before there was a folder.
    if (database.isNew && existsSync(opened.#data))
      throw new Error(
        `${opened.#data} is there, but the database that names its files and holds the small ones is missing. Restore the ` +
          'data directory from a copy, or start with another one (MILLRACE_DATA_DIR).',
      )
    await files.makeFolder(opened.#data)
    await Promise.all(folders.map(folder => files.makeFolder(join(opened.#data, folder))))
    await opened.#sweep()
    return opened
  }

  /**
   * Puts a small file into the database; call it inside the transaction that first refers to it, with whose sync it is
   * there. A file in a folder has to be created, written, closed and synced with its folder.
   */
  insertSmall(file: string, content: Buffer): void {
    this.#database.insert('small_files', { file, content })
  }

  /** The bytes of a small file; `undefined` when it lies in the data folder. */
  readSmall(file: string): Buffer | undefined {
    const sql = 'SELECT content FROM small_files WHERE file = ?'
    const row = this.#database.get<{ content: Uint8Array<ArrayBuffer> }>(sql, file)
    return row && Buffer.from(row.content.buffer, row.content.byteOffset, row.content.byteLength)
  }

  /** A new file to write to. It is nobody's until it is finished and a transaction refers to it. */
  async create(): Promise<{ file: string; handle: DiskFile }> {
    const file = newFileName()
    return { file, handle: await this.#files.create(this.path(file)) }
  }

  /** Call when all is written, before the transaction that refers to it. */
  async finish(file: string, handle: DiskFile): Promise<void> {
    await this.#files.sync(handle)
    await this.#files.syncFolder(dirname(this.path(file)))
  }

  /** Removes a file that was created but will not be referred to. What cannot be removed now is swept at the next start. */
  async discard(file: string): Promise<void> {
    await this.#files.disk.remove(this.path(file)).catch(() => {})
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

  /**
   * Removes the files that no slice refers to and nobody reads, in the background. Call after a commit that may have
   * released some.
   */
  collectGarbage(): void {
    const garbage = this.#garbage()
    if (garbage.length === 0) return
    const before = this.#collecting ?? Promise.resolve()
    this.#collecting = before.then(() => this.#removeGarbage(garbage))
  }

  /** Resolves when the garbage found so far is gone. */
  async settled(): Promise<void> {
    await this.#collecting
  }

  #garbage(): string[] {
    // A copy may have come to share the file after its last owner had gone.
    const unused = this.#database.all<{ file: string }>(
      `SELECT file FROM garbage WHERE ${without('garbage')}`,
    )
    return unused.map(({ file }) => file).filter(file => !this.#readers.has(file))
  }

  async #removeGarbage(garbage: readonly string[]): Promise<void> {
    try {
      // Removed before the row goes: killed in between, the next start only finds a file already gone, as a small one always is.
      await Promise.all(garbage.map(file => this.#files.disk.remove(this.path(file))))
      await this.#database.transaction(() => {
        for (const file of garbage)
          for (const table of ['small_files', 'garbage'])
            this.#database.run(`DELETE FROM ${table} WHERE file = ?`, file)
      })
    } catch {
      // On a full disk, say. The rows stay, so the next collection begins with them.
    }
  }

  /** Removes the files that no slice refers to. */
  async #sweep(): Promise<void> {
    const known = new Set(
      this.#database.all<{ file: string }>('SELECT DISTINCT file FROM slices').map(({ file }) => file),
    )
    for (const folder of folders)
      for (const file of await readdir(join(this.#data, folder)))
        if (!known.has(file)) await this.#files.disk.remove(this.path(file))
    for (const table of ['small_files', 'garbage'])
      this.#database.run(`DELETE FROM ${table} WHERE ${without(table)}`)
  }
}

const folders = Array.from({ length: 16 }, (_, folder) => folder.toString(16))

/** Files up to this size lie in the database: SQLite reads and writes them faster than the file system does (SQLite, "35% Faster Than The Filesystem"). */
export const LARGEST_SMALL_BYTES = 64 * 1024

/** A name that no file has. */
export const newFileName = (): string => randomBytes(16).toString('hex')

/** Of a table of files: no slice refers to it. */
const without = (table: string): string =>
  `NOT EXISTS (SELECT * FROM slices WHERE slices.file = ${table}.file)`
