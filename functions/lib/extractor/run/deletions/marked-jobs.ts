import { UserError } from '#lib/errors/errors.ts'
import { isObject } from '#lib/json/json-value.ts'
import { changesOnlyJobs } from '../../config/changes-only.ts'
import { deletionColumnOf } from '../../config/deletions-schema.ts'
import type { Job } from '../../config/job-schema.ts'
import { type ExtractorConfig, outputBucket } from '../../config/parse-config.ts'
import { tableFileName } from '../../tables/table-file.ts'
import { dataTypeOf } from '../../tables/table-loads.ts'
import { safeName } from '../../values/php/safe-name.ts'

/** A job of one iteration whose rows are marked when they are gone. */
export interface MarkedJob {
  index: number
  /** Position such as `0.1`. */
  path: string
  job: Job
  dataType: string
  column: string
  /** The file of its table: one job writes it. */
  table: string
}

interface JobPlace {
  path: string
  job: Job
  above: readonly Job[]
}

/** @throws UserError `extractor.config.invalid` for a job of which nobody could say which rows are gone */
export const markedJobs = (parsed: ExtractorConfig): MarkedJob[] => {
  const { api, file, compat, runs } = parsed
  return runs.flatMap(({ config }, index) => {
    const places = placesOf(config.jobs)
    const narrowed = new Set(changesOnlyJobs(config, file).map(({ path }) => path))
    return places.flatMap(({ path, job, above }) => {
      const column = deletionColumnOf(job)
      if (column === undefined) return []
      const dataType = dataTypeOf(job)
      const table = tableFileName(outputBucket(api, config), safeName(dataType))
      const others = places.filter(place => place.job !== job && tableOf(place.job) === safeName(dataType))
      const refuse = (problem: string): never => {
        const at = `parameters.config.jobs.${path.replaceAll('.', '.children.')}`
        throw new UserError(
          'extractor.config.invalid',
          `Invalid configuration: "deletions" ${problem} at ${at}`,
        )
      }
      const output = file.storage?.output?.tables?.find(
        ({ source }) => source === table || source === `${table}.csv`,
      )
      const keyOfTable = new Set(output?.primary_key)
      const isOtherKey =
        keyOfTable.size > 0 && keyOfTable.symmetricDifference(new Set(job.primaryKey)).size > 0
      if (compat) refuse('does not go with "compat", where tables have no key')
      if (isObject(config.mappings) && Object.hasOwn(config.mappings, dataType))
        refuse(`does not go with a mapping of "${dataType}"`)
      if (narrowed.has(path)) refuse('needs all rows, and the job asks only for changes')
      if (above.some(({ completeness }) => completeness === undefined))
        refuse(
          'needs "completeness" in all jobs above as well: rows of a parent that was missed are not gone',
        )
      if (Object.keys(api.http?.ignoreErrors ?? {}).length > 0)
        refuse('does not go with "api.http.ignoreErrors": after an error nobody knows which rows there are')
      if ([job, ...above].some(({ graphql }) => graphql?.errors === 'warn'))
        refuse(
          'does not go with "errors": "warn" of "graphql", here or in a job above: such an answer lacks rows',
        )
      if (others.length > 0) refuse('needs a table that no other job writes')
      if (isOtherKey)
        refuse(
          'needs the key of the table: "primary_key" in storage.output.tables names other columns than "primaryKey"',
        )
      return [{ index, path, job, dataType, column, table }]
    })
  })
}

const placesOf = (jobs: readonly Job[], parent = '', above: readonly Job[] = []): JobPlace[] =>
  jobs.flatMap((job, index) => {
    const path = parent === '' ? String(index) : `${parent}.${index}`
    return [{ path, job, above }, ...placesOf(job.children ?? [], path, [...above, job])]
  })

const tableOf = (job: Job): string => safeName(dataTypeOf(job))
