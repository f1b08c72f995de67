import { UserError } from '../../errors/errors.ts'
import { MAX_IDS, type PageFacts } from './page-facts.ts'

/** Pairs of pages that are named; the rest is counted. */
const MAX_SEAMS_NAMED = 5

interface Told {
  page: number
  total: number
}

/** Compares what one run of a job read with what the API said, and its pages with each other. */
export class RunCheck {
  /** Names it in the log of checks. */
  readonly number: number
  readonly #maxIds: number
  /** The page that each id was first on. */
  readonly #seen = new Map<string, number>()
  /** Ids that a page shares with an earlier one, or has more than once, by `<earlier> <page>`. */
  readonly #shared = new Map<string, number>()
  #pages = 0
  #rows = 0
  #again = 0
  #withoutId = 0
  #hasIds = false
  #firstTotal: Told | undefined
  #lastTotal: Told | undefined
  #tooMany = false

  constructor(number: number, maxIds = MAX_IDS) {
    this.number = number
    this.#maxIds = maxIds
  }

  add({ rows, ids, total }: PageFacts): void {
    this.#pages++
    this.#rows += rows
    if (total !== undefined) {
      this.#firstTotal ??= { page: this.#pages, total }
      this.#lastTotal = { page: this.#pages, total }
    }
    if (ids === undefined) return
    this.#hasIds = true
    for (const id of ids) this.#note(id)
  }

  #note(id: string | null): void {
    if (this.#tooMany) return
    if (id === null) {
      this.#withoutId++
      return
    }
    const before = this.#seen.get(id)
    if (before === undefined) {
      this.#seen.set(id, this.#pages)
      if (this.#seen.size > this.#maxIds) {
        this.#tooMany = true
        this.#seen.clear()
      }
      return
    }
    this.#again++
    const pages = `${before} ${this.#pages}`
    this.#shared.set(pages, (this.#shared.get(pages) ?? 0) + 1)
  }

  /** Why not all could be compared, for the author; the run is not at fault. */
  limits(): string[] {
    return this.#tooMany
      ? [`more than ${count(this.#maxIds)} ids: rows that came twice were not looked for`]
      : []
  }

  /** What is wrong, in words; nothing when the run is complete as far as the API lets anybody know. */
  findings(): string[] {
    const found = [...this.#countFindings(), ...this.#seamFindings()]
    if (this.#withoutId > 0) found.push(`${many(this.#withoutId, 'row has', 'rows have')} no id`)
    return found
  }

  *#countFindings(): Generator<string> {
    const [first, last] = [this.#firstTotal, this.#lastTotal]
    if (first === undefined || last === undefined) {
      if (!this.#hasIds || this.#tooMany)
        yield 'nothing shows whether it is complete: the API said no total, and no ids were compared'
      return
    }
    if (first.total !== last.total)
      yield `the API said ${many(first.total, 'row')} on page ${first.page} and ${count(last.total)} on page ${last.page}`
    const different = this.#rows - (this.#tooMany ? 0 : this.#again)
    if (different !== last.total) yield `${count(different)} of ${many(last.total, 'row')}`
  }

  *#seamFindings(): Generator<string> {
    const seams = [...this.#shared]
    for (const [pages, ids] of seams.slice(0, MAX_SEAMS_NAMED)) {
      const [earlier, later] = pages.split(' ')
      yield earlier === later
        ? `page ${later} has ${many(ids, 'id')} more than once`
        : `pages ${earlier} and ${later} share ${many(ids, 'id')}: rows moved while they were read`
    }
    if (seams.length > MAX_SEAMS_NAMED)
      yield `${many(seams.length - MAX_SEAMS_NAMED, 'more pair')} of pages share ids`
  }
}

const count = (value: number): string => value.toLocaleString('en-US')

const many = (value: number, one: string, several = `${one}s`): string =>
  `${count(value)} ${value === 1 ? one : several}`

/** The error of a run of a job that must be complete and is not. */
export const incomplete = (job: string, findings: readonly string[]): UserError =>
  new UserError('extractor.job.incomplete', `Job '${job}' did not get all rows: ${findings.join('; ')}.`, {
    params: { findings: [...findings] },
  })
