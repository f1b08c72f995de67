import { cellText, type Scalar } from '../values/php/php-values.ts'

type Kind = 'text' | 'number' | 'truth'

/** The columns of a table by what JSON calls their values; a null says nothing. */
export class ColumnKinds {
  readonly #kinds: Map<string, Set<Kind>>

  constructor(saved: readonly [column: string, kinds: Kind[]][] = []) {
    this.#kinds = new Map(saved.map(([column, kinds]) => [column, new Set(kinds)]))
  }

  /** The cell of a value, which is noted. Truth has its words: otherwise true would be a number among others, and false would be null. */
  cell(column: string, value: Scalar | null): string {
    if (value !== null) this.#note(column, kindOf(value))
    return typeof value === 'boolean' ? String(value) : cellText(value, false)
  }

  /** Notes what the rows of another file of the table hold. */
  add(other: ColumnKinds): void {
    for (const [column, kinds] of other.#kinds) for (const kind of kinds) this.#note(column, kind)
  }

  #note(column: string, kind: Kind): void {
    const known = this.#kinds.get(column)
    if (known === undefined) this.#kinds.set(column, new Set([kind]))
    else known.add(kind)
  }

  /** Whether a column has values of several kinds. */
  isMixed(column: string): boolean {
    return (this.#kinds.get(column)?.size ?? 0) > 1
  }

  /** Whether a column is text, whatever its texts look like. */
  isText(column: string): boolean {
    return this.isMixed(column) || this.#kinds.get(column)?.has('text') === true
  }

  save(): [column: string, kinds: Kind[]][] {
    return [...this.#kinds].map(([column, kinds]) => [column, [...kinds]])
  }
}

const kindOf = (value: Scalar): Kind =>
  typeof value === 'string' ? 'text' : typeof value === 'boolean' ? 'truth' : 'number'
