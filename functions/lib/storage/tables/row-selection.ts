import { z } from 'zod'
import {
  operators,
  orderTypes,
  type RowConditions,
  saidTypes,
} from '../../table-engine/rows/row-conditions.ts'

/** Which rows of a table a job works on. Times are ISO 8601: `-2 days` was resolved when the job was accepted. */
export const rowConditions = z.object({
  where: z.array(
    z.object({
      column: z.string(),
      operator: z.enum(operators),
      values: z.array(z.string()),
      dataType: z.enum([...orderTypes, ...saidTypes]).optional(),
    }),
  ),
  changedSince: z.iso.datetime().optional(),
  changedUntil: z.iso.datetime().optional(),
  fulltextSearch: z.string().optional(),
} satisfies Record<keyof Omit<RowConditions, 'searchedColumns'>, z.ZodType>)

/** Which rows, which columns of them, and in which order. */
export const rowSelection = rowConditions.extend({
  columns: z.array(z.string()).optional(),
  orderBy: z.array(
    z.object({
      column: z.string(),
      order: z.enum(['ASC', 'DESC']),
      dataType: z.enum(orderTypes).optional(),
    }),
  ),
  limit: z.number().optional(),
})

type StoredConditions = z.infer<typeof rowConditions>

/** The conditions as the table engine takes them: with times as dates. */
export const withDates = <Conditions extends StoredConditions>({
  changedSince,
  changedUntil,
  ...rest
}: Conditions) => ({
  ...rest,
  ...(changedSince !== undefined && { changedSince: new Date(changedSince) }),
  ...(changedUntil !== undefined && { changedUntil: new Date(changedUntil) }),
})

/** The reverse of {@link withDates}. */
export const withIsoTimes = <Conditions extends { changedSince?: Date; changedUntil?: Date }>({
  changedSince,
  changedUntil,
  ...rest
}: Conditions) => ({
  ...rest,
  ...(changedSince && { changedSince: changedSince.toISOString() }),
  ...(changedUntil && { changedUntil: changedUntil.toISOString() }),
})
