import { createHash } from 'node:crypto'
import { UserError } from '#lib/errors/errors.ts'
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
  /** Of all ids in their order, however the pages cut them. */
  readonly #order = createHash('sha256')
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
    if (ids.length > 0) this.#order.update(`${JSON.stringify(ids).slice(1, -1)},`)
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

  /** Whether the API said a total, and so many different rows came. */
  get hasAll(): boolean {
    return this.#lastTotal !== undefined && this.#differentRows === this.#lastTotal.total
  }

  /** As far as ids tell rows apart. */
  get #differentRows(): number {
    return this.#rows - (this.#tooMany ? 0 : this.#again)
  }

  /** Whether both have the same ids in the same order. */
  hasSameRowsAs(other: RunCheck): boolean {
    return this.#rows === other.#rows && this.#digest() === other.#digest()
  }

  #digest(): string {
    return this.#order.copy().digest('base64url')
  }

  /** How the rows differ from those of an earlier pass, in words. */
  movedFrom(other: RunCheck): string {
    if (this.#tooMany || other.#tooMany) return 'rows moved'
    const added = this.#seen.keys().filter(id => !other.#seen.has(id))
    const gone = other.#seen.keys().filter(id => !this.#seen.has(id))
    const [more, fewer] = [countOf(added), countOf(gone)]
    if (more === 0 && fewer === 0) return 'the same rows came in another order'
    return `${more === 0 ? 'no row' : many(more, 'row')} came and ${fewer === 0 ? 'none' : count(fewer)} went`
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
    const different = this.#differentRows
    if (different !== last.total) yield `${count(different)} of ${many(last.total, 'row')}`
  }

  *#seamFindings(): Generator<string> {
    const seams = Array.from(this.#shared, ([pages, ids]) => {
      const [earlier = 0, later = 0] = pages.split(' ').map(Number)
      return { earlier, later, ids }
    }).sort((a, b) => a.later - b.later || a.earlier - b.earlier) // not in the order of the ids on a page
    for (const { earlier, later, ids } of seams.slice(0, MAX_SEAMS_NAMED)) {
      yield earlier === later
        ? `page ${later} has ${many(ids, 'id')} more than once`
        : `pages ${earlier} and ${later} share ${many(ids, 'id')}: rows moved while they were read`
    }
    if (seams.length > MAX_SEAMS_NAMED)
      yield `${many(seams.length - MAX_SEAMS_NAMED, 'more pair')} of pages share ids`
  }
}

const countOf = (values: Iterable<unknown>): number => {
  let counted = 0
  for (const _ of values) counted++
  return counted
}

const count = (value: number): string => value.toLocaleString('en-US')

const many = (value: number, one: string, several = `${one}s`): string =>
  `${count(value)} ${value === 1 ? one : several}`

export const unstable = (job: string, moved: readonly string[]): UserError =>
  new UserError(
    'extractor.job.unstable',
    `Job '${job}' was read ${moved.length + 1} times, and no two passes after each other gave the same rows in the same order: ${moved.join('; ')}.`,
    { params: { moved: [...moved] } },
  )

export const incomplete = (job: string, findings: readonly string[]): UserError =>
  new UserError('extractor.job.incomplete', `Job '${job}' did not get all rows: ${findings.join('; ')}.`, {
    params: { findings: [...findings] },
  })
