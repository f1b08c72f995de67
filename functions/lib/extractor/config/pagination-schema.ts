import * as z from 'zod'
import { flag, integer, name, optional, record, text } from './fields.ts'
import { requestShape } from './job-schema.ts'
import { strictObject } from './strict-object.ts'
import { kindsOf, unknownKind } from './unknown-kind.ts'

const limit = integer.refine(value => value > 0, 'must be a positive integer')

/** Stop rules that any method may have (docs/reference/extractor.md#stop-rules). */
const stops = {
  nextPageFlag: optional(strictObject({ field: name, stopOn: z.boolean(), ifNotSet: optional(z.boolean()) })),
  forceStop: optional(
    strictObject({
      pages: optional(integer),
      time: optional(z.union([z.int(), z.string()])),
      volume: optional(integer),
    }),
  ),
  limitStop: optional(
    strictObject({ field: optional(text), count: optional(integer) }).refine(
      ({ field, count }) => Boolean(field) !== Boolean(count),
      'give exactly one of "field" and "count"',
    ),
  ),
}

const urlShape = {
  urlKey: optional(text),
  includeParams: optional(flag),
  paramIsQuery: optional(flag),
}

const offset = strictObject({
  method: z.literal('offset'),
  limit,
  limitParam: optional(text),
  offsetParam: optional(text),
  firstPageParams: optional(flag),
  offsetFromJob: optional(flag),
  ...stops,
})

const pagenum = strictObject({
  method: z.literal('pagenum'),
  pageParam: optional(text),
  firstPage: optional(integer),
  limit: optional(integer),
  limitParam: optional(text),
  firstPageParams: optional(flag),
  ...stops,
})

const responseUrl = strictObject({
  method: z.literal('response.url'),
  ...urlShape,
  delimiter: optional(z.string()),
  ...stops,
})

const zendeskUrl = strictObject({ method: z.literal('zendesk.response.url'), ...urlShape, ...stops })

const responseParam = strictObject({
  method: z.literal('response.param'),
  responseParam: name,
  queryParam: name,
  includeParams: optional(flag),
  scrollRequest: optional(strictObject(requestShape)),
  ...stops,
})

const cursor = strictObject({
  method: z.literal('cursor'),
  idKey: name,
  param: name,
  increment: optional(integer),
  reverse: optional(flag),
  ...stops,
})

/** The next page from the `Link` header (RFC 8288). Ours (docs/reference/extractor.md#header-link). */
const headerLink = strictObject({
  method: z.literal('header-link'),
  rel: optional(text),
  includeParams: optional(flag),
  ...stops,
})

/**
 * A cursor that may be text or a date, from the response or from the items. Ours
 * (docs/reference/extractor.md#json-cursor).
 */
const jsonCursor = strictObject({
  method: z.literal('json-cursor'),
  param: name,
  cursorPath: optional(text),
  idKey: optional(text),
  type: z.enum(['number', 'text', 'date']).default('text'),
  reverse: optional(flag),
  ...stops,
}).refine(
  ({ cursorPath, idKey }) => Boolean(cursorPath) !== Boolean(idKey),
  'give exactly one of "cursorPath" (in the response) and "idKey" (in each item)',
)

const singles = [
  offset,
  pagenum,
  responseUrl,
  zendeskUrl,
  responseParam,
  cursor,
  headerLink,
  jsonCursor,
] as const

export const SinglePagination = z.discriminatedUnion('method', singles, {
  error: unknownKind('method', 'unknown pagination method', kindsOf('method', singles)),
})

const multiple = strictObject({
  method: z.literal('multiple'),
  scrollers: record(SinglePagination),
  default: optional(text),
  ...stops,
})

/** `api.pagination` (docs/reference/extractor.md#pagination). */
export const Pagination = z.discriminatedUnion('method', [...singles, multiple], {
  error: unknownKind('method', 'unknown pagination method', [...kindsOf('method', singles), 'multiple']),
})

export type Pagination = z.output<typeof Pagination>
export type SinglePagination = z.output<typeof SinglePagination>
export type PaginationOf<Method extends SinglePagination['method']> = Extract<
  SinglePagination,
  { method: Method }
>
