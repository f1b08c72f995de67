import * as z from 'zod'
import { key, optional, record, Value } from './fields.ts'
import { strictObject } from './strict-object.ts'

/** A GraphQL query as the request of a job. Ours (docs/reference/extractor-graphql.md). */
export const GraphqlRequest = strictObject({
  query: key(Value, 'The query; may be an expression.'),
  variables: key(optional(record(Value)), 'Its variables. Values may be expressions, as in `params`.'),
  errors: key(
    optional(z.enum(['fail', 'warn'])),
    'What `errors` in an answer do that has `data` too. Without `data` they always fail.',
    'fail',
  ),
})

interface MaybeGraphql {
  graphql?: unknown
  params?: unknown
  method?: string | undefined
  dataField?: unknown
}

/** What a job with a query cannot have, or needs. */
export const graphqlProblem = (job: MaybeGraphql): string | undefined => {
  if (job.graphql === undefined) return undefined
  if (job.params !== undefined) return '"params" do not go with "graphql": its values are "variables"'
  if (job.method === 'FORM') return 'a job with "graphql" sends JSON, not a form'
  if (job.dataField === undefined)
    return 'a job with "graphql" needs "dataField", such as "data.orders.nodes"'
  return undefined
}
