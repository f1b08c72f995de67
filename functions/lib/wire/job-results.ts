import * as z from 'zod/mini'
import { plural } from '../plural.ts'

/** The parts of a job's results that people look for. Each operation has others. */
const jobResults = z.object({
  id: z.optional(z.catch(z.optional(z.string().check(z.regex(/^(in|out|sys)\./))), undefined)),
  importedRowsCount: z.optional(z.number()),
  replacedRowsCount: z.optional(z.number()),
  /** Of a table that the job made. */
  rowsCount: z.optional(z.nullable(z.number())),
  rowsLoaded: z.optional(z.number()),
  deletedRows: z.optional(z.number()),
  file: z.optional(z.object({ id: z.number() })),
  warnings: z.optional(z.array(z.string())),
})

interface Ended {
  results?: unknown
  tableId?: string | null | undefined
}

const resultsOf = ({ results }: Ended): z.infer<typeof jobResults> => jobResults.safeParse(results).data ?? {}

/** What the author of a load should know. */
export const warningsOfJob = (job: Ended): string[] => resultsOf(job).warnings ?? []

export const fileOfJob = (job: Ended): { id: number } | undefined => resultsOf(job).file

export const rowsOfJob = (job: Ended): number | undefined => {
  const { importedRowsCount, rowsLoaded, rowsCount } = resultsOf(job)
  return importedRowsCount ?? rowsLoaded ?? rowsCount ?? undefined
}

export const replacedRowsOfJob = (job: Ended): number => resultsOf(job).replacedRowsCount ?? 0

/** `3 rows, of which 1 was replaced by a later one with the same key`. */
export const rowsText = (rows: number, replaced: number): string => {
  const all = plural(rows, 'row')
  if (replaced === 0) return all
  return `${all}, of which ${replaced.toLocaleString('en-US')} ${replaced === 1 ? 'was' : 'were'} replaced by a later one with the same key`
}

export const rowsOfDeletion = (job: Ended): number | undefined => resultsOf(job).deletedRows

/** The table of a job: the one that it was asked for, or that it made. */
export const tableOfJob = (job: Ended): string | undefined => job.tableId || resultsOf(job).id
