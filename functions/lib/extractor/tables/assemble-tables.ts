import { createReadStream } from 'node:fs'
import { open, rename } from 'node:fs/promises'
import type { Json } from '../../json/json-value.ts'
import type { LiveTables } from './live-tables.ts'
import { columnNodes } from './row-plan.ts'
import type { Structure } from './structure.ts'
import type { StructureNode } from './structure-node.ts'
import { addParentColumns, columnNames, headerLine, isUnderHiddenItems } from './table-header.ts'
import type { Segment, TableSpool } from './table-spool.ts'

/** A spooled table with its final header. */
export interface AssembledTable {
  spool: TableSpool
  dataType: string
  columns: string[]
  /** How each segment's rows become rows of the final columns; `undefined`: as they are. */
  mappings: (readonly number[] | undefined)[]
}

/**
 * Final headers for spooled rows, or `undefined` when the spool cannot give the exact tables.
 * Names the parent columns in `structure`, so give it a copy when it may be needed again.
 */
export const assembleTables = (
  live: LiveTables,
  structure: Structure,
  compat: boolean,
): AssembledTable[] | undefined => {
  if (!live.isExact) return undefined
  const started = [...live.tables.values()].filter(({ spool }) => spool.order >= 0)
  const reached = started.filter(({ node }) => !(compat && isUnderHiddenItems(node)))
  const clash = reached.some(({ node, spool }) => (spool.parents ?? []).some(name => node.children.has(name)))
  if (clash) return undefined
  const tables: AssembledTable[] = []
  for (const { node, spool } of reached.sort((a, b) => a.spool.order - b.spool.order)) {
    const ids = columnNodes(node).map(({ id }) => id)
    addParentColumns(structure, node, new Map((spool.parents ?? []).map(name => [name, null as Json])))
    const columns = columnNames(node, compat)
    if (new Set(columns).size < columns.length) return undefined
    const mappings = spool.segments.map(segment => mapSegment(segment, node, ids, spool, compat))
    tables.push({ spool, dataType: node.dataType, columns, mappings })
  }
  return tables
}

/** Columns of a segment that are gone were of nulls only, or the rows would not count as exact. */
const mapSegment = (
  segment: Segment,
  node: StructureNode,
  ids: readonly number[],
  spool: TableSpool,
  compat: boolean,
): readonly number[] | undefined => {
  const parentCount = spool.parents?.length ?? 0
  const isHidden = compat && node.type === 'null' && node.solid !== undefined
  const shown = isHidden ? ids.filter(id => id !== node.id) : ids
  const mapping = shown.map(id => (isHidden ? -1 : segment.columns.indexOf(id)))
  for (let i = 0; i < parentCount; i++) mapping.push(segment.columns.length + i)
  const isSame =
    mapping.length === segment.columns.length + parentCount && mapping.every((from, i) => from === i)
  return isSame ? undefined : mapping
}

export const writeAssembled = async (table: AssembledTable, file: string): Promise<void> => {
  const { spool, columns, mappings } = table
  const header = headerLine(columns)
  if (header === spool.header && mappings.every(mapping => mapping === undefined)) {
    if (await moved(spool.file, file)) return
  }
  const out = await open(file, 'w')
  try {
    if (header !== '') await out.write(header)
    for (const [i, segment] of spool.segments.entries()) {
      const end = spool.segments[i + 1]?.start ?? spool.bytes
      if (end === segment.start) continue
      const mapping = mappings[i]
      const map = mapping === undefined ? undefined : createRowMapper(mapping)
      const rows = createReadStream(spool.file, {
        start: segment.start,
        end: end - 1,
        highWaterMark: 1 << 20,
      })
      for await (const chunk of rows) {
        const bytes: Buffer = map === undefined ? chunk : map(chunk)
        if (bytes.length > 0) await out.write(bytes)
      }
    }
  } finally {
    await out.close()
  }
}

/** False when the folders are on different file systems. */
const moved = async (from: string, to: string): Promise<boolean> => {
  try {
    await rename(from, to)
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EXDEV') return false
    throw error
  }
}

const QUOTE = 34
const LINE_END = 10

/** Where each column of the new layout comes from: a position in the old one, or -1 for an empty cell. */
type ColumnMapping = readonly number[]

/**
 * Rewrites CSV rows of our own making (all cells quoted) for another set of columns, chunk by chunk.
 *
 * Returns a function that takes the next chunk of whole or partial rows and gives the rows it completes.
 */
const createRowMapper = (mapping: ColumnMapping): ((chunk: Buffer) => Buffer) => {
  let carried: Buffer = Buffer.alloc(0)
  return chunk => {
    const data = carried.length === 0 ? chunk : Buffer.concat([carried, chunk])
    const pieces: Buffer[] = []
    let cells: number[] = []
    let start = 0
    let cellStart = 0
    let inQuotes = false
    for (let at = 0; at < data.length; at++) {
      const byte = data[at]
      if (byte === QUOTE) inQuotes = !inQuotes
      else if (!inQuotes && (byte === LINE_END || byte === COMMA)) {
        cells.push(cellStart, at)
        cellStart = at + 1
        if (byte === LINE_END) {
          pushRow(pieces, data, cells, mapping)
          cells = []
          start = at + 1
        }
      }
    }
    carried = Buffer.from(data.subarray(start))
    return Buffer.concat(pieces)
  }
}

const COMMA = 44
const comma = Buffer.from(',')
const empty = Buffer.from('""')
const lineEnd = Buffer.from('\n')

const pushRow = (pieces: Buffer[], data: Buffer, cells: readonly number[], mapping: ColumnMapping): void => {
  mapping.forEach((position, i) => {
    if (i > 0) pieces.push(comma)
    pieces.push(position === -1 ? empty : data.subarray(cells[2 * position], cells[2 * position + 1]))
  })
  pieces.push(lineEnd)
}
