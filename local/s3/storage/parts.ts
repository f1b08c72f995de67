import type { Database } from '../../durable/database.ts'
import type { NewContent, Slice, StoredPart } from './stored-object.ts'

interface PartRow extends Omit<StoredPart, 'checksums'> {
  checksums: string
}

/** The parts of holders (uploads and object versions) and the slices of files that they are made of. */
export class Parts {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  /** Sets a part's content in place of what it was before. Call inside a transaction. */
  put(holder: number, number: number, content: NewContent, modified: number): void {
    this.remove(holder, number)
    const { size, md5: etag } = content
    const checksums = JSON.stringify(content.checksums)
    this.#database.insert('parts', { holder, number, start: 0, size, etag, modified, checksums })
    let start = 0
    for (const { fileStart: file_start, ...slice } of content.slices) {
      this.#database.insert('slices', { holder, number, start, ...slice, file_start })
      start += slice.size
    }
  }

  /** Parts in ascending order, at most `limit`, with numbers above `after`. */
  list(holder: number, after = 0, limit = -1): StoredPart[] {
    const sql = 'SELECT * FROM parts WHERE holder = ? AND number > ? ORDER BY number LIMIT ?'
    return this.#database.all<PartRow>(sql, holder, after, limit).map(toPart)
  }

  get(holder: number, number: number): StoredPart | undefined {
    return this.list(holder, number - 1, 1).find(part => part.number === number)
  }

  /** The part that covers exactly these bytes of a finished object. */
  findExact(holder: number, start: number, size: number): StoredPart | undefined {
    const sql = 'SELECT * FROM parts WHERE holder = ? AND start = ? AND size = ? LIMIT 1'
    const row = this.#database.get<PartRow>(sql, holder, start, size)
    return row && toPart(row)
  }

  count(holder: number): number {
    const sql = 'SELECT count(*) AS count FROM parts WHERE holder = ?'
    return this.#database.get<{ count: number }>(sql, holder)?.count ?? 0
  }

  /** Fixes where the part begins in the finished object. */
  setStart(holder: number, number: number, start: number): void {
    this.#database.run('UPDATE parts SET start = ? WHERE holder = ? AND number = ?', start, holder, number)
  }

  /** The slices that make up bytes `first` to `last` (inclusive) of the holder, in order. */
  slices(holder: number, first: number, last: number): Slice[] {
    return this.#database
      .all<{ start: number; size: number; file: string; file_start: number }>(
        `SELECT parts.start + slices.start AS start, slices.size, file, file_start FROM parts
         JOIN slices ON slices.holder = parts.holder AND slices.number = parts.number
         WHERE parts.holder = ?1 AND parts.start <= ?3 AND parts.start + parts.size > ?2
           AND parts.start + slices.start <= ?3 AND parts.start + slices.start + slices.size > ?2
         ORDER BY parts.number, slices.start`,
        holder,
        first,
        last,
      )
      .map(({ start, size, file, file_start }) => {
        const skipped = Math.max(0, first - start)
        const tooMany = Math.max(0, start + size - 1 - last)
        return { file, fileStart: file_start + skipped, size: size - skipped - tooMany }
      })
  }

  /** Removes one part, or all. Files that nothing refers to any more become garbage. Call inside a transaction. */
  remove(holder: number, number?: number): void {
    const values = number === undefined ? [holder] : [holder, number]
    const where = number === undefined ? 'holder = ?' : 'holder = ? AND number = ?'
    const files = this.#database.all<{ file: string }>(
      `SELECT DISTINCT file FROM slices WHERE ${where}`,
      ...values,
    )
    for (const table of ['slices', 'parts'])
      this.#database.run(`DELETE FROM ${table} WHERE ${where}`, ...values)
    for (const { file } of files)
      this.#database.run(
        'INSERT OR IGNORE INTO garbage SELECT ?1 WHERE NOT EXISTS (SELECT * FROM slices WHERE file = ?1)',
        file,
      )
  }
}

const toPart = ({ checksums, ...row }: PartRow): StoredPart => ({ ...row, checksums: JSON.parse(checksums) })
