import { phpSerialize } from '../../php/php-serialize.ts'
import type { ItemsPlan, ObjectPlan } from '../row-plan.ts'
import type { NodeType } from '../structure-node.ts'
import { ByteText } from './byte-text.ts'

/** Rows of one table, while those of a page are written. */
export interface TableBytes {
  name: string
  /** Of its items, when they are known. */
  solid: NodeType | undefined
  /** Whether it has rows of earlier pages. */
  isStarted: boolean
  rows: ByteText
  count: number
  /** What the items of its list have become, as of `TableRows`. */
  itemsType: NodeType | undefined
}

/** An `ItemsPlan` as bytes. */
export interface ItemsBytes {
  kind: ItemsPlan['kind']
  object: ObjectBytes
  table: TableBytes
}

export interface ObjectBytes {
  columns: ColumnBytes[]
  hasLists: boolean
  blank: Buffer
  /** What a link begins with, and the same inside a cell. */
  path: Buffer
  pathInCell: Buffer
}

export interface ColumnBytes {
  name: string
  /** `"id"`, as it is in the document, and as it mostly is: with the colon. */
  key: Buffer
  keyAndColon: Buffer
  /** `s:2:"id";` */
  serial: Buffer
  role: 'scalar' | 'null' | 'object' | 'array'
  open: Buffer
  blank: Buffer
  object: ObjectBytes | undefined
  items: ItemsBytes | undefined
}

/** The plan as bytes with its tables; nothing when a key is such that only values have it in its place. */
export const bytePlan = (plan: ItemsPlan): { items: ItemsBytes; tables: TableBytes[] } | undefined => {
  const tables: TableBytes[] = []
  let isPossible = true
  const itemsBytes = ({ node, kind, object, table }: ItemsPlan): ItemsBytes => {
    const { name, order } = table
    const own: TableBytes = {
      name,
      solid: node.solid,
      isStarted: order >= 0,
      rows: new ByteText(),
      count: 0,
      itemsType: undefined,
    }
    tables.push(own)
    return { kind, object: objectBytes(object), table: own }
  }
  const objectBytes = (object: ObjectPlan): ObjectBytes => ({
    columns: object.columns.map(({ key, role, open, blank, object, items }) => {
      const quoted = JSON.stringify(key)
      // Number-like keys come first in JavaScript; one with an escape can be written in several ways
      if (/^\d/.test(key) || quoted.includes('\\')) isPossible = false
      return {
        name: key,
        key: Buffer.from(quoted),
        keyAndColon: Buffer.from(`${quoted}:`),
        serial: Buffer.from(phpSerialize(key)),
        role,
        open: Buffer.from(open),
        blank: Buffer.from(blank),
        object: object && objectBytes(object),
        items: items && itemsBytes(items),
      }
    }),
    hasLists: object.hasLists,
    blank: Buffer.from(object.blank),
    path: Buffer.from(`${object.path}_`),
    pathInCell: Buffer.from(`${object.path.replaceAll('"', '""')}_`),
  })
  const items = itemsBytes(plan)
  return isPossible ? { items, tables } : undefined
}
