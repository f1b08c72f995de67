import type { Job } from '../../config/job-schema.ts'
import { type CastTarget, decimalDigits, type RecordStep } from '../../config/records-schema.ts'
import { targetOf } from './cast-fields.ts'

/** The type of a column in the words of a table's definition. */
export interface ColumnType {
  basetype: 'INTEGER' | 'NUMERIC' | 'FLOAT' | 'BOOLEAN' | 'DATE' | 'TIMESTAMP'
  /** Of `NUMERIC`: digits in all and after the point. */
  length?: string
}

/** By path in the rows. */
export type TypedPaths = ReadonlyMap<string, ColumnType>

/**
 * What the rows of each data type are cast to, by path. A path has a type only when all jobs of the data type cast it to the same one:
 * a value that another job writes as it came might not fit.
 */
export const typedPaths = (jobs: Iterable<Job>): Map<string, TypedPaths> => {
  const byType = Map.groupBy(everyJob(jobs), ({ dataType, endpoint }) => dataType || endpoint)
  const typed = new Map<string, TypedPaths>()
  for (const [type, writers] of byType) {
    const [first = new Map(), ...others] = writers.map(({ records = [] }) => castsOf(records))
    const agreed = [...first].filter(([path, one]) =>
      others.every(casts => JSON.stringify(casts.get(path)) === JSON.stringify(one)),
    )
    if (agreed.length > 0) typed.set(type, new Map(agreed))
  }
  return typed
}

function* everyJob(jobs: Iterable<Job>): Generator<Job> {
  for (const job of jobs) {
    yield job
    yield* everyJob(job.children ?? [])
  }
}

/** Of two casts of one field the later counts. */
const castsOf = (records: readonly RecordStep[]): Map<string, ColumnType> => {
  const targets = new Map(records.flatMap(({ cast }) => Object.entries(cast ?? {})))
  const types = [...targets].map(([path, written]) => [path, columnType(targetOf(written))] as const)
  return new Map(types.flatMap(([path, type]) => (type === undefined ? [] : [[path, type] as const])))
}

/** `undefined` for texts, also for those that are kept where a value is impossible. */
const columnType = ({ to, format, invalid }: CastTarget): ColumnType | undefined => {
  if (invalid === 'keep') return undefined
  switch (to) {
    case 'integer':
      return { basetype: 'INTEGER' }
    case 'number': {
      const digits = format === undefined ? undefined : decimalDigits(format)
      return digits === undefined
        ? { basetype: 'FLOAT' }
        : { basetype: 'NUMERIC', length: `${digits.precision},${digits.scale}` }
    }
    case 'boolean':
      return { basetype: 'BOOLEAN' }
    case 'date':
      return { basetype: 'DATE' }
    case 'timestamp':
      return { basetype: 'TIMESTAMP' }
    case 'string':
      return undefined
  }
}
