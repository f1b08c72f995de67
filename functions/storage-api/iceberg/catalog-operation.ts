import { z } from 'zod'
import { checkFields } from '../http/check-fields.ts'
import type { Caller, Services } from '../services/services.ts'

/** A request to the catalog, read and authenticated. */
export interface CatalogRequest<Query = unknown> {
  /** Decoded. */
  params: Readonly<Record<string, string>>
  query: Query
  caller: Caller
  raw: Request
}

/** One operation of the Iceberg REST catalog that is served. */
export interface CatalogOperation {
  /** As the specification names it: `GET /v1/{prefix}/namespaces`. */
  endpoint: string
  answer: (
    request: Omit<CatalogRequest, 'query'> & { searchParams: URLSearchParams },
    services: Services,
  ) => Promise<Response>
}

const nothing = z.object({})

/** Defines one operation. Its schema reads the query; a parameter that it does not have is refused. */
export const defineOperation = <Query extends z.ZodType = typeof nothing>({
  endpoint,
  query,
  handle,
}: {
  endpoint: string
  query?: Query
  handle: (request: CatalogRequest<z.output<Query>>, services: Services) => Promise<Response>
}): CatalogOperation => ({
  endpoint,
  answer: async ({ searchParams, ...request }, services) => {
    // `nothing` is what `Query` is when no schema is given.
    const schema = query ?? (nothing as unknown as Query)
    const fields = Object.fromEntries(searchParams)
    return handle({ ...request, query: checkFields(schema, fields, 'storage.validation') }, services)
  },
})
