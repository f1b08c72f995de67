import { z } from 'zod'

const aliasFilter = z.object({
  column: z.string(),
  operator: z.enum(['eq', 'ne']),
  values: z.array(z.string()),
})

/** Which rows of its source an alias shows. */
export type AliasFilter = z.infer<typeof aliasFilter>

/** What tables and aliases have. */
export const headFields = {
  /** Unique for ever: a new table under an old name gets another one. */
  internalId: z.number(),
  bucketId: z.string(),
  name: z.string(),
  displayName: z.string(),
  created: z.string(),
  /** The branch that it is of. Absent: the default branch. */
  branchId: z.number().optional(),
  /** Of a branch's own copy of a table: the id of the default branch's. */
  copyOf: z.number().optional(),
  revision: z.number(),
}

/** The head of an alias, stored where the head of a table of that name would be. */
export const aliasRecord = z.object({
  kind: z.literal('alias'),
  ...headFields,
  /** A table or another alias. */
  sourceTableId: z.string(),
  /** A new table under the name of the source is not the source. */
  sourceInternalId: z.number(),
  filter: aliasFilter.optional(),
  /** The columns that it shows, in this order. Absent: those of its source at any time. */
  columns: z.array(z.string()).optional(),
})

export type AliasRecord = z.infer<typeof aliasRecord>

/** A branch's copy of a table is a source under the id of its original too: aliases were made of that one. */
export const idsOf = ({
  internalId,
  copyOf,
}: {
  internalId: number
  copyOf?: number | undefined
}): number[] => (copyOf === undefined ? [internalId] : [internalId, copyOf])

export const isAliasItem = (item: Record<string, unknown>): boolean => item['kind'] === 'alias'
