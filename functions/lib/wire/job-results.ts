import * as z from 'zod/mini'

/** The parts of a job's results that people look for. Each operation has others. */
const jobResults = z.object({
  id: z.optional(z.catch(z.optional(z.string().check(z.regex(/^(in|out|sys)\./))), undefined)),
  importedRowsCount: z.optional(z.number()),
  /** Of a table that the job made. */
  rowsCount: z.optional(z.nullable(z.number())),
  rowsLoaded: z.optional(z.number()),
  deletedRows: z.optional(z.number()),
  file: z.optional(z.object({ id: z.number() })),
})

interface Ended {
  results?: unknown
  tableId?: string | null | undefined
}

const resultsOf = ({ results }: Ended): z.infer<typeof jobResults> => jobResults.safeParse(results).data ?? {}

export const fileOfJob = (job: Ended): { id: number } | undefined => resultsOf(job).file

export const rowsOfJob = (job: Ended): number | undefined => {
  const { importedRowsCount, rowsLoaded, rowsCount } = resultsOf(job)
  return importedRowsCount ?? rowsLoaded ?? rowsCount ?? undefined
}

export const rowsOfDeletion = (job: Ended): number | undefined => resultsOf(job).deletedRows

/** The table of a job: the one that it was asked for, or that it made. */
export const tableOfJob = (job: Ended): string | undefined => job.tableId || resultsOf(job).id
