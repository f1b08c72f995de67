import { hash } from 'node:crypto'
import type { Json } from '#lib/json/json-value.ts'
import { cellText, quoted, type Scalar } from '../../values/php/cell.ts'
import { type ExtraColumns, phpSerialize } from '../../values/php/php-serialize.ts'
import type { ObjectBytes } from './byte-plan.ts'
import { ByteText } from './byte-text.ts'

/** Parent columns of rows: for the end of each row, and for what it is hashed from. */
export interface ParentBytes {
  names: readonly string[]
  /** `,"5","x"` is from `start` to `end`. */
  cells: ByteText
  start: number
  end: number
  serial: Buffer
}

/** Parent columns of a page: single values or null, which the caller has checked. */
export const parentBytes = (values: ExtraColumns, compat: boolean): ParentBytes | undefined => {
  const names = Object.keys(values)
  if (names.length === 0) return undefined
  const cells = new ByteText()
  for (const name of names)
    cells.append(Buffer.from(`,${quoted(cellText(values[name] as Scalar | null, compat))}`)) // checked by the caller
  const serial = names.map(name => phpSerialize(name) + phpSerialize(values[name] as Json)).join('') // its own keys
  return { names, cells, start: 0, end: cells.length, serial: Buffer.from(serial) }
}

/** A link that may be asked for, with where the object that it is made from is serialised. */
export interface Link {
  object: ObjectBytes
  outer: Link | undefined
  start: number
  end: number
  hash: string | undefined
}

const CELL = Buffer.from(',"')
const QUOTE = 34
const noSerial = Buffer.alloc(0)
const linkNames = ['JSON_parentId']
const linkKey = phpSerialize('JSON_parentId')

/** The links of one row at a time, made from the bytes that the row is serialised to (`ExactTables` makes them from values). */
export class RowLinks {
  readonly #serial: ByteText
  readonly #cells = new ByteText()
  #links: Link[] = []

  /** @param serial of the row */
  constructor(serial: ByteText) {
    this.#serial = serial
  }

  /** Another row follows; links of the one before that were asked for stay as they are. */
  clear(): void {
    this.#links = []
  }

  /** An object that may have links begins at the end of what is serialised. */
  open(object: ObjectBytes, outer: Link | undefined): Link {
    const link = { object, outer, start: this.#serial.length, end: 0, hash: undefined }
    this.#links.push(link)
    return link
  }

  /** What is serialised behind a place has moved. */
  move(from: number, by: number): void {
    for (const link of this.#links) {
      if (link.start <= from) continue
      link.start += by
      link.end += by
    }
  }

  /** `<path>_<md5>` over the object and the link of the one around it. */
  hashOf(link: Link): string {
    if (link.hash !== undefined) return link.hash
    const own = this.#serial.bytes.subarray(link.start, link.end)
    const { outer } = link
    const whole =
      outer === undefined ? own : Buffer.concat([own, outer.object.path, Buffer.from(this.hashOf(outer))])
    link.hash = hash('md5', whole, 'hex')
    return link.hash
  }

  /** The column of rows of a list. `release` it when they are written. */
  columns(link: Link, isHashed: boolean): ParentBytes {
    const cells = this.#cells
    const start = cells.length
    const md5 = this.hashOf(link)
    cells.append(CELL)
    cells.append(link.object.pathInCell)
    cells.ascii(md5)
    cells.byte(QUOTE)
    const serial = isHashed
      ? Buffer.from(linkKey + phpSerialize(link.object.path.toString() + md5))
      : noSerial
    return { names: linkNames, cells, start, end: cells.length, serial }
  }

  release({ start }: ParentBytes): void {
    this.#cells.length = start
  }

  /** A page that was given up may have left some. */
  releaseAll(): void {
    this.#cells.length = 0
  }
}
