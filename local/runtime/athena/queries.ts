import { join } from 'node:path'
import type { S3Client } from '@aws-sdk/client-s3'
import { z } from 'zod'
import { hexDigest } from '#lib/digests.ts'
import { DurableFiles } from '../../durable/durable-files.ts'
import { type Log, readRecords } from '../../durable/records.ts'
import type { Caller } from '../control/authenticate.ts'
import { ServiceError } from '../control/service-error.ts'
import { type GlueTables, glueDatabaseArn, glueTableArn } from '../glue/operations.ts'
import { parseStatement, type TableName } from './parse-statement.ts'
import type { RunStatement } from './run-statement.ts'

const queryRecord = z.strictObject({
  id: z.string(),
  token: z.string(),
  text: z.string(),
  database: z.string(),
  workGroup: z.string(),
  /** Whose rights the query has. Absent: those of the account. */
  roleArn: z.string().optional(),
  /** Where the target's metadata was when the query began. */
  base: z.string(),
  state: z.enum(['RUNNING', 'SUCCEEDED', 'FAILED', 'CANCELLED']),
  reason: z.string().optional(),
  submitted: z.number(),
  completed: z.number().optional(),
  scannedBytes: z.number().default(0),
  updatedRows: z.number().optional(),
})

export type QueryRecord = z.infer<typeof queryRecord>

interface QueriesOptions {
  folder: string
  tables: GlueTables
  /** By name: the bytes that a query may scan. */
  workGroups: ReadonlyMap<string, { cutoffBytes: number }>
  /** S3 with the rights of a role, or of the account. */
  s3Of: (roleArn: string | undefined) => Promise<S3Client>
  isAllowed: (caller: Caller, action: string, resource: string) => boolean
  /** What does the statements. Default: DuckDB. */
  engine?: RunStatement | undefined
  files?: DurableFiles
  log?: Log
}

/** Queries, each a file of the data directory. One that was under way when the process ended is run again. */
export class Queries {
  readonly #options: QueriesOptions
  readonly #files: DurableFiles
  readonly #queries: Map<string, QueryRecord>
  readonly #running = new Map<string, Promise<void>>()
  #isClosed = false

  private constructor(options: QueriesOptions, files: DurableFiles, records: readonly QueryRecord[]) {
    this.#options = options
    this.#files = files
    this.#queries = new Map(records.map(record => [record.id, record]))
  }

  static async open(options: QueriesOptions): Promise<Queries> {
    const { folder, files = new DurableFiles(), log = () => {} } = options
    await files.makeFolder(folder)
    return new Queries(options, files, await readRecords(files, folder, queryRecord, log))
  }

  /** Takes up the queries that were under way. Resolves when they have ended. */
  async resume(): Promise<void> {
    for (const query of this.#queries.values())
      if (query.state === 'RUNNING') this.#running.set(query.id, this.#run(query))
    await this.settled()
  }

  /** Resolves when no query runs. */
  async settled(): Promise<void> {
    await Promise.all(this.#running.values())
  }

  /** Lets running queries end; none is started any more. What cannot end in time is taken up by the next start. */
  async close(): Promise<void> {
    this.#isClosed = true
    await this.settled()
  }

  /** A token that was used before gives its query. */
  async start(
    { token, text, database, workGroup }: Pick<QueryRecord, 'token' | 'text' | 'database' | 'workGroup'>,
    { roleArn }: Caller,
  ): Promise<QueryRecord> {
    if (!this.#options.workGroups.has(workGroup))
      throw new ServiceError('InvalidRequestException', `WorkGroup ${workGroup} is not found.`)
    if (this.#isClosed) throw new ServiceError('InternalServerException', 'The cloud is shutting down', 503)
    const id = idOf(token)
    const earlier = this.#queries.get(id)
    if (earlier && earlier.text !== text)
      throw new ServiceError('InvalidRequestException', 'Idempotent parameters do not match')
    if (earlier) return earlier
    const { target } = parseStatement(text)
    const { input } = this.#options.tables.get(target.database, target.name)
    const query: QueryRecord = {
      id,
      token,
      text,
      database,
      workGroup,
      ...(roleArn !== undefined && { roleArn }),
      base: input.Parameters['metadata_location'] ?? '',
      state: 'RUNNING',
      submitted: Date.now(),
      scannedBytes: 0,
    }
    this.#queries.set(id, query)
    await this.#store(query)
    this.#running.set(id, this.#run(query))
    return query
  }

  get(id: string): QueryRecord {
    const query = this.#queries.get(id)
    if (query) return query
    throw new ServiceError('InvalidRequestException', `QueryExecution ${id} was not found`)
  }

  /** A query that has ended stays as it is. What one has committed stays committed. */
  async stop(id: string): Promise<void> {
    if (this.get(id).state === 'RUNNING')
      await this.#end(id, { state: 'CANCELLED', reason: 'Query cancelled by user' })
  }

  async #run(query: QueryRecord): Promise<void> {
    try {
      const updatedRows = await this.#work(query)
      await this.#end(query.id, { state: 'SUCCEEDED', updatedRows })
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      this.#options.log?.(`query ${query.id} failed: ${reason}`)
      const state = error instanceof CutOff ? 'CANCELLED' : 'FAILED'
      await this.#end(query.id, { state, reason }).catch(failure =>
        this.#options.log?.(`query ${query.id} could not be ended: ${String(failure)}`),
      )
    } finally {
      this.#running.delete(query.id)
    }
  }

  /** Resolves to the rows that it has written, where Athena says so. */
  async #work(query: QueryRecord): Promise<number> {
    const { tables, workGroups, s3Of, isAllowed, folder, engine = runInDuckDb } = this.#options
    const caller = { roleArn: query.roleArn }
    const statement = parseStatement(query.text)
    const { target, reads } = statement
    const tableArn = ({ database, name }: TableName) => glueTableArn(database, name)
    for (const [action, resource] of [
      // Athena looks at `default` whatever database the query names.
      ...[query.database, 'default'].map(name => ['glue:GetDatabase', glueDatabaseArn(name)] as const),
      ...reads.map(table => ['glue:GetTable', tableArn(table)] as const),
      ['glue:UpdateTable', tableArn(target)] as const,
    ])
      if (!isAllowed(caller, action, resource))
        throw new Error(
          `Insufficient permissions to execute the query. ${query.roleArn} is not authorized to perform: ${action} on resource: ${resource}`,
        )
    const { input } = tables.get(target.database, target.name)
    // The process ended between the commit and the note that the query has succeeded.
    if (input.Parameters['metadata_location'] !== query.base) return query.updatedRows ?? 0
    return engine(statement, {
      tables,
      scratchDir: join(folder, 'scratch'),
      s3: await s3Of(query.roleArn),
      queryId: query.id,
      onScan: (bytes: number) => {
        const scanned = { ...this.get(query.id), scannedBytes: bytes }
        this.#queries.set(query.id, scanned)
        const { cutoffBytes } = workGroups.get(query.workGroup) ?? { cutoffBytes: 0 }
        if (bytes > cutoffBytes) throw new CutOff('Bytes scanned limit was exceeded')
      },
    })
  }

  async #end(id: string, end: Pick<QueryRecord, 'state' | 'reason' | 'updatedRows'>): Promise<void> {
    const query = this.get(id)
    if (query.state !== 'RUNNING') return
    const ended = { ...query, ...end, completed: Date.now() }
    this.#queries.set(id, ended)
    await this.#store(ended)
  }

  async #store(query: QueryRecord): Promise<void> {
    await this.#files.writeWhole(join(this.#options.folder, `${query.id}.json`), JSON.stringify(query))
  }
}

class CutOff extends Error {}

/** DuckDB and the readers of tables are two hundred modules, which most processes never need. */
const runInDuckDb: RunStatement = async (statement, run) =>
  (await import('./run-statement.ts')).runStatement(statement, run)

/** A UUID that follows from the token: two starts at once are one query. */
const idOf = (token: string): string => {
  const digits = hexDigest(token)
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, '$1-$2-$3-$4-$5')
}
