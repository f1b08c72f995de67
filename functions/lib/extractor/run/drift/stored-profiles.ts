import { basename } from 'node:path'
import * as z from 'zod'
import type { Json } from '#lib/json/json-value.ts'
import type { WrittenTable } from '../../tables/sink-types.ts'
import type { TableProfile } from './table-profile.ts'
import { kinds } from './value-kind.ts'

/** Of one run, so that the state stays small. */
export const MAX_TABLES = 100

/** A table as the last run left it. */
export interface StoredProfile extends TableProfile {
  /** The data type whose jobs write it. */
  type: string
  isWhole: boolean
}

const stored = z.array(
  z.object({
    table: z.string(),
    type: z.string(),
    rows: z.int(),
    isWhole: z.boolean(),
    /** Lists, since names of columns are no names of ours: one may look like that of a secret. */
    columns: z.array(z.tuple([z.string(), z.enum(kinds).nullable(), z.int()])),
  }),
)

/** By file name of the table. What cannot be read counts as absent, as elsewhere in a state. */
export const readProfiles = (state: unknown): Map<string, StoredProfile> => {
  const parsed = stored.safeParse(state)
  if (!parsed.success) return new Map()
  return new Map(
    parsed.data.map(({ table, columns, ...profile }) => [
      table,
      { ...profile, columns: columns.map(([name, kind, empty]) => ({ name, kind, empty })) },
    ]),
  )
}

export const writeProfiles = (profiles: ReadonlyMap<string, StoredProfile>): Json =>
  [...profiles].map(([table, { type, rows, isWhole, columns }]) => ({
    table,
    type,
    rows,
    isWhole,
    columns: columns.map(({ name, kind, empty }) => [name, kind, empty]),
  }))

/** Those of the tables alone: of a part of a run, tables that are not among them are not missing. */
export const profilesOf = (
  tables: readonly WrittenTable[],
  profiles: ReadonlyMap<string, StoredProfile>,
  mask: (name: string) => string,
): Map<string, StoredProfile> => {
  const files = new Set(tables.map(({ file }) => mask(basename(file))))
  return new Map([...profiles].filter(([file]) => files.has(mask(file))))
}
