import {
  type AthenaClient,
  GetQueryExecutionCommand,
  GetQueryResultsCommand,
  StartQueryExecutionCommand,
  StopQueryExecutionCommand,
} from '@aws-sdk/client-athena'
import { nameMissingGrants } from '../lib/iceberg/glue/missing-grant.ts'

/** Athena API Reference, "StartQueryExecution": a token has at least 32 characters. */
const tokenOf = (jobId: number): string => `millrace-merge-of-job-${String(jobId).padStart(16, '0')}`

interface QueryStatus {
  state: 'running' | 'succeeded' | 'failed'
  /** Why it failed, in Athena's words. */
  reason: string
  submitted: Date
  completed: Date | undefined
  /** What it costs is by these. 0 while it runs. */
  scannedBytes: number
}

interface QueriesOptions {
  workGroup: string
  /** Of all tables that queries name. Without it a session begins in the database `default`, which an account may lack. */
  database: string
}

/** The Glue Data Catalog of the account, in Athena's words. */
const CATALOG = 'AwsDataCatalog'

/** Queries of Athena in one workgroup. Each call throws `MissingGrant` when the stack may not make it. */
export const createQueries = (athena: AthenaClient, { workGroup, database }: QueriesOptions) => {
  nameMissingGrants(athena)
  return queriesOf(athena, { workGroup, database })
}

const queriesOf = (athena: AthenaClient, { workGroup, database }: QueriesOptions) => ({
  /** Starts the query of a job, or finds it: a job has one. Resolves to its id. */
  async start(jobId: number, statement: string): Promise<string> {
    const { QueryExecutionId } = await athena.send(
      new StartQueryExecutionCommand({
        QueryString: statement,
        QueryExecutionContext: { Catalog: CATALOG, Database: database },
        ClientRequestToken: tokenOf(jobId),
        WorkGroup: workGroup,
      }),
    )
    if (!QueryExecutionId) throw new Error('Athena started a query without an id')
    return QueryExecutionId
  },

  async status(queryId: string): Promise<QueryStatus> {
    const { QueryExecution } = await athena.send(new GetQueryExecutionCommand({ QueryExecutionId: queryId }))
    const {
      State,
      StateChangeReason = '',
      SubmissionDateTime,
      CompletionDateTime,
    } = QueryExecution?.Status ?? {}
    if (!State || !SubmissionDateTime) throw new Error(`Athena says nothing about the query ${queryId}`)
    const isRunning = State === 'QUEUED' || State === 'RUNNING'
    return {
      state: isRunning ? 'running' : State === 'SUCCEEDED' ? 'succeeded' : 'failed',
      reason: StateChangeReason,
      submitted: SubmissionDateTime,
      completed: CompletionDateTime,
      scannedBytes: QueryExecution?.Statistics?.DataScannedInBytes ?? 0,
    }
  },

  /** Rows that a query has written; 0 when Athena does not say. */
  async updatedRows(queryId: string): Promise<number> {
    const { UpdateCount = 0 } = await athena.send(
      new GetQueryResultsCommand({ QueryExecutionId: queryId, MaxResults: 1 }),
    )
    return UpdateCount
  },

  stop: async (queryId: string): Promise<void> => {
    await athena.send(new StopQueryExecutionCommand({ QueryExecutionId: queryId }))
  },
})

export type Queries = ReturnType<typeof createQueries>
