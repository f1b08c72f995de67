import { UserError } from '#lib/errors/errors.ts'

/** Glue User Guide, "Table": names are lower case. Athena's own statements take letters, digits and underscores. */
const plainName = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]/g, '_')

/** Glue API Reference, "Table": at most 255 bytes. */
const LONGEST_NAME = 255

interface NamedTable {
  bucketId: string
  name: string
  internalId: number
  /** Of a table that a development branch has of its own. */
  branchId?: number | undefined
}

/**
 * The name of a table in Glue: `in_c_main__orders_1234` for `in.c-main.orders`, `branch_7__in_c_main__orders_1250` for a
 * branch's own. The table's internal id at the end keeps apart what would get one name, and a new table of an old name from
 * the old one.
 */
export const glueTableName = ({ bucketId, name, internalId, branchId }: NamedTable): string => {
  const begin = branchId === undefined ? '' : `branch_${branchId}__`
  const end = `_${internalId}`
  return `${begin}${plainName(bucketId)}__${plainName(name)}`.slice(0, LONGEST_NAME - end.length) + end
}

/** The table of the rows that a load has staged. */
export const stagingTableName = (jobId: number): string => `staging_${jobId}`

/** The table that a query of a load commits to: nobody else knows it. */
export const mergeTableName = (jobId: number): string => `merge_${jobId}`

/** A column's name in Glue's list of columns. Iceberg keeps its own name. */
export const glueColumnName = (name: string): string => plainName(name) || '_'

/**
 * Refuses columns that Athena cannot tell apart: it compares names in lower case, and Glue's list has them without
 * special characters. Error: 400 `storage.tables.distributed.columnNames`.
 */
export const refuseSharedNames = (tableId: string, fields: readonly { name: string }[]): void => {
  const byName = Map.groupBy(fields, ({ name }) => glueColumnName(name))
  const shared = [...byName.values()].filter(columns => columns.length > 1)
  if (shared.length === 0) return
  const groups = shared.map(columns => columns.map(({ name }) => JSON.stringify(name)).join(' and '))
  throw new UserError(
    'storage.tables.distributed.columnNames',
    `The load is too large for one function, and Athena cannot merge it into "${tableId}": it knows lower case, digits ` +
      `and underscores only, and so takes these columns for one: ${groups.join('; ')}. Delete or rename all but one.`,
    { params: { columns: shared.flat().map(({ name }) => name) } },
  )
}
