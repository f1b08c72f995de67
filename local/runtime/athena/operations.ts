import { z } from 'zod'
import { type Operations, operation } from '../control/aws-json-server.ts'
import { ServiceError } from '../control/service-error.ts'
import { arn } from '../resources/resource-type.ts'
import type { Queries, QueryRecord } from './queries.ts'

/** Athena API Reference, "StartQueryExecution". */
const MAX_QUERY_CHARACTERS = 262_144

const byId = z.strictObject({ QueryExecutionId: z.string() })

const workGroupArn = (name: string): string => arn('athena', `workgroup/${name}`)

const execution = (query: QueryRecord) => ({
  QueryExecution: {
    QueryExecutionId: query.id,
    Query: query.text,
    StatementType: 'DML',
    WorkGroup: query.workGroup,
    Status: {
      State: query.state,
      SubmissionDateTime: query.submitted / 1000,
      ...(query.reason !== undefined && { StateChangeReason: query.reason }),
      ...(query.completed !== undefined && { CompletionDateTime: query.completed / 1000 }),
    },
    Statistics: { DataScannedInBytes: query.scannedBytes },
  },
})

/** The operations of Athena (AWS JSON 1.1) that a query of ours needs. Its workgroup decides about rights. */
export const athenaOperations = (queries: Queries): Operations => {
  const resource = ({ QueryExecutionId }: z.infer<typeof byId>): string =>
    workGroupArn(queries.get(QueryExecutionId).workGroup)
  return {
    'AmazonAthena.StartQueryExecution': operation({
      action: 'athena:StartQueryExecution',
      input: z.strictObject({
        QueryString: z.string().min(1).max(MAX_QUERY_CHARACTERS),
        QueryExecutionContext: z.strictObject({ Catalog: z.literal('AwsDataCatalog'), Database: z.string() }),
        ClientRequestToken: z.string().min(32).max(128),
        WorkGroup: z.string(),
      }),
      resource: ({ WorkGroup }) => workGroupArn(WorkGroup),
      run: async ({ QueryString, QueryExecutionContext, ClientRequestToken, WorkGroup }, caller) => {
        const { Database: database } = QueryExecutionContext
        const query = { token: ClientRequestToken, text: QueryString, database, workGroup: WorkGroup }
        return { QueryExecutionId: (await queries.start(query, caller)).id }
      },
    }),

    'AmazonAthena.GetQueryExecution': operation({
      action: 'athena:GetQueryExecution',
      input: byId,
      resource,
      run: ({ QueryExecutionId }) => execution(queries.get(QueryExecutionId)),
    }),

    'AmazonAthena.GetQueryResults': operation({
      action: 'athena:GetQueryResults',
      input: byId.extend({ MaxResults: z.int().min(1).max(1000).optional() }),
      resource,
      run: ({ QueryExecutionId }) => {
        const { state, updatedRows = 0 } = queries.get(QueryExecutionId)
        if (state !== 'SUCCEEDED')
          throw new ServiceError(
            'InvalidRequestException',
            `Query did not finish successfully. Final query state: ${state}`,
          )
        return { UpdateCount: updatedRows, ResultSet: { Rows: [], ResultSetMetadata: { ColumnInfo: [] } } }
      },
    }),

    'AmazonAthena.StopQueryExecution': operation({
      action: 'athena:StopQueryExecution',
      input: byId,
      resource,
      run: ({ QueryExecutionId }) => queries.stop(QueryExecutionId),
    }),
  }
}
