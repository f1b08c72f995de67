import type { LiveTables } from './live-tables.ts'
import { columnNodes } from './row-plan.ts'
import type { Structure } from './structure.ts'
import type { StructureNode } from './structure-node.ts'
import { addParentColumn, columnNames, isUnderHiddenItems } from './table-header.ts'
import type { Segment, TableSpool } from './table-spool.ts'
import type { FinishedTable, Piece } from './write-tables.ts'

/**
 * Final headers for spooled rows, or `undefined` when the spool cannot give the exact tables.
 * Names the parent columns in `structure`, so give it a copy when it may be needed again.
 */
export const assembleTables = (
  live: LiveTables,
  structure: Structure,
  compat: boolean,
): FinishedTable[] | undefined => {
  if (!live.isExact) return undefined
  const started = [...live.tables.values()].filter(({ spool }) => spool.order >= 0)
  const reached = started.filter(({ node }) => !(compat && isUnderHiddenItems(node)))
  const clash = reached.some(({ node, spool }) => (spool.parents ?? []).some(name => node.children.has(name)))
  if (clash) return undefined
  const tables: FinishedTable[] = []
  for (const { node, spool } of reached.sort((a, b) => a.spool.order - b.spool.order)) {
    const ids = columnNodes(node).map(({ id }) => id)
    for (const name of spool.parents ?? []) addParentColumn(structure, node, name)
    const columns = columnNames(node, compat)
    if (new Set(columns).size < columns.length) return undefined
    const pieces = piecesOf(spool, segment => mapSegment(segment, node, ids, spool, compat))
    const { name, rows } = spool
    tables.push({ name, columns, primaryKey: [], types: [node.dataType], rows, pieces })
  }
  return tables
}

const piecesOf = (spool: TableSpool, mappingOf: (segment: Segment) => Piece['mapping']): Piece[] => {
  const { file, bytes, header, segments } = spool
  const mappings = segments.map(mappingOf)
  if (mappings.every(mapping => mapping === undefined))
    return [{ file, start: Buffer.byteLength(header), end: bytes, header }]
  return segments.map(({ start }, i) => ({
    file,
    start,
    end: segments[i + 1]?.start ?? bytes,
    mapping: mappings[i],
  }))
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
