import { createReadStream, mkdirSync, rmSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { UserError } from '#lib/errors/errors.ts'
import type { Json } from '#lib/json/json-value.ts'
import { pathInside } from '#lib/paths/path-inside.ts'
import { AppendFile } from '../../tables/append-file.ts'
import { cellText, isScalar } from '../../values/php/cell.ts'
import { safeName } from '../../values/php/safe-name.ts'
import { MAX_KEYS, tooManyKeys } from './key-set.ts'
import type { MarkedJob } from './marked-jobs.ts'

/** What a checkpoint holds of the keys of one table; the keys are in a file of the spool folder. */
interface SavedKeyLog {
  table: string
  given: string[]
  bytes: number
  keys: number
  withoutKey: number
}

export type SavedKeyLogs = SavedKeyLog[]

interface KeyLog extends Omit<SavedKeyLog, 'bytes'> {
  file: AppendFile
}

/** The keys of rows as they go to the tables, one line of JSON for each row. */
export class KeyLogs {
  readonly #folder: string
  readonly #maxKeys: number
  readonly #logs = new Map<string, KeyLog>()

  /** @param saved by the leg before, with the same spool folder */
  constructor(spoolDir: string, saved: SavedKeyLogs = [], maxKeys = MAX_KEYS) {
    this.#folder = pathInside(spoolDir, 'keys')
    this.#maxKeys = maxKeys
    for (const { bytes, ...log } of saved)
      this.#logs.set(log.table, { ...log, file: new AppendFile(this.#path(this.#logs.size), bytes) })
  }

  #path(position: number): string {
    return pathInside(this.#folder, String(position))
  }

  #of(table: string, given: string[]): KeyLog {
    const found = this.#logs.get(table)
    if (found !== undefined) return found
    mkdirSync(this.#folder, { recursive: true })
    const made = { table, given, keys: 0, withoutKey: 0, file: new AppendFile(this.#path(this.#logs.size)) }
    this.#logs.set(table, made)
    return made
  }

  /**
   * @param columns what the run adds to each of the rows
   * @throws UserError `extractor.deletions.tooManyKeys`, `extractor.deletions.columnTaken`
   */
  note(
    { table, job, column, dataType }: MarkedJob,
    columns: Readonly<Record<string, Json>>,
    items: readonly Json[],
  ): void {
    const ofRun = Object.entries(columns).filter(([name]) => name !== column)
    const given = new Map(ofRun.map(([name, value]) => [safeName(name), value]))
    const log = this.#of(
      table,
      ofRun.map(([name]) => name),
    )
    log.keys += items.length
    if (log.keys > this.#maxKeys) throw tooManyKeys(dataType, this.#maxKeys)
    for (const item of items) {
      const row = typeof item === 'object' && item !== null ? (item as Readonly<Record<string, Json>>) : {}
      if (Object.hasOwn(row, column)) throw columnTaken(dataType, column)
      const key = keyOf(job.primaryKey ?? [], row, given)
      if (key === undefined) log.withoutKey++
      else log.file.write(`${JSON.stringify(key)}\n`)
    }
  }

  /** Of a table without any row nothing is known. */
  find(table: string): Pick<SavedKeyLog, 'given' | 'withoutKey'> | undefined {
    return this.#logs.get(table)
  }

  /** Each key once, as JSON. */
  async read(table: string): Promise<Set<string>> {
    const keys = new Set<string>()
    const log = this.#logs.get(table)
    if (log === undefined || log.file.bytes === 0) return keys
    log.file.flush()
    for await (const line of createInterface({ input: createReadStream(log.file.path) })) keys.add(line)
    return keys
  }

  /** `undefined` when nothing was noted. */
  save(): SavedKeyLogs | undefined {
    if (this.#logs.size === 0) return undefined
    return [...this.#logs.values()].map(({ file, ...log }) => {
      file.flush()
      return { ...log, bytes: file.bytes }
    })
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true })
  }
}

const keyOf = (
  columns: readonly string[],
  row: Readonly<Record<string, Json>>,
  given: ReadonlyMap<string, Json>,
): string[] | undefined => {
  const key: string[] = []
  for (const column of columns) {
    const value = given.get(column) ?? (Object.hasOwn(row, column) ? row[column] : undefined)
    const text = value === null || !isScalar(value) ? '' : cellText(value, false)
    if (text === '') return undefined
    key.push(text)
  }
  return key
}

const columnTaken = (dataType: string, column: string): UserError =>
  new UserError(
    'extractor.deletions.columnTaken',
    `Rows of '${dataType}' have a field "${column}" of their own: name another column in "deletions".`,
  )
