import * as z from 'zod'
import { plainNumber } from '#lib/json/json-value.ts'
import { Ordering } from '../values/select/ordering.ts'
import { requestShape } from './authentication-schema.ts'
import {
  flag,
  integer,
  key,
  kindsOf,
  maybe,
  name,
  record,
  strictObject,
  text,
  unknownKind,
} from './fields.ts'

const limit = integer.refine(value => value > 0, 'must be a positive integer')

/** Stop rules that any method may have, as they are looked at (docs/reference/extractor-pagination.md#stop-rules). */
const stops = {
  limitStop: maybe(
    strictObject({
      field: maybe(text, 'Path of the number of items in the response.'),
      count: maybe(integer, 'The number of items.'),
    }).refine(
      ({ field, count }) => Boolean(field) !== Boolean(count),
      'give exactly one of "field" and "count"',
    ),
    'Ends the job when so many items came. The last page is not cut.',
  ),
  forceStop: maybe(
    strictObject({
      pages: maybe(integer, 'After so many pages.'),
      time: maybe(
        z.preprocess(plainNumber, z.union([z.int(), z.string()])),
        'After so many seconds, or a text such as `1 hour`, since the first request of the job.',
      ),
      volume: maybe(integer, 'After more than so many bytes of minified JSON.'),
    }),
    'Ends the job, whichever of these comes first.',
  ),
  nextPageFlag: maybe(
    strictObject({
      field: key(name, 'A property of the response; ours: or the path of one.'),
      stopOn: key(z.boolean(), 'The job ends when the property, as a boolean, equals this.'),
      ifNotSet: maybe(z.boolean(), 'What a missing property counts as. Without it: as `stopOn`.'),
    }),
    'Ends the job when the response says so.',
  ),
}

/** A method of pagination; each may have stop rules. */
const method = <Method extends string, Shape extends z.ZodRawShape>(name: Method, shape: Shape) =>
  strictObject({ method: key(z.literal(name), 'The method.'), ...shape, ...stops })

const urlShape = {
  urlKey: maybe(text, 'Path of the next address in the response.', 'next_page'),
  includeParams: maybe(flag, '`true`: adds the params of the job to the address.', false),
  paramIsQuery: maybe(
    flag,
    '`true`: the value is a query, which is laid over the params; a leading `?` is dropped.',
    false,
  ),
}

const offset = method('offset', {
  limit: maybe(
    limit,
    'Items per page. A job param named as `limitParam` replaces it. Only with `"limitParam": false` it may be missing: the offset grows by the items of a page, and a page without any is the last.',
  ),
  limitParam: maybe(
    z.union([text, z.literal(false)]),
    'Name of the parameter with the limit; `false`: it is not sent.',
    'limit',
  ),
  offsetParam: maybe(text, 'Name of the parameter with the offset.', 'offset'),
  firstPageParams: maybe(flag, '`false`: the first request is sent without them.', true),
  offsetFromJob: maybe(
    flag,
    '`true`: the job param named as `offsetParam` is the first offset. Otherwise 0 takes its place.',
    false,
  ),
}).refine(({ limit, limitParam }) => limit !== undefined || limitParam === false, {
  path: ['limit'],
  error: 'is needed, or "limitParam": false',
})

const pagenum = method('pagenum', {
  pageParam: maybe(text, 'Name of the parameter with the number.', 'page'),
  firstPage: maybe(integer, 'The first number.', 1),
  limit: maybe(integer, 'Items per page; sent, and a page of fewer is the last.'),
  limitParam: maybe(
    z.union([text, z.literal(false)]),
    'Name of the parameter with the limit; a job param of that name replaces it. `false`: it is not sent, and no param is taken for it.',
    'limit',
  ),
  firstPageParams: maybe(flag, '`false`: the first request is sent without them.', true),
})

const responseUrl = method('response.url', {
  ...urlShape,
  delimiter: maybe(z.string(), 'What separates the steps of `urlKey`.', '.'),
})

const zendeskUrl = method('zendesk.response.url', {
  ...urlShape,
})

const responseParam = method('response.param', {
  responseParam: key(name, 'Path of the value in the response.'),
  queryParam: key(name, 'Name of the parameter that carries it.'),
  includeParams: maybe(flag, '`true`: the params of the job are sent again.', false),
  scrollRequest: maybe(
    strictObject(requestShape),
    'The requests from the second page on, where they differ.',
  ),
})

const Take = z.enum(['last'])

const TAKE_MEANS = 'Ours. `last`: the value of the last item, in place of the largest.'

/** The last item is the last in whatever order. */
const isOneChoice = (
  settings: Partial<Record<'take' | 'reverse' | 'type' | 'cursorPath', unknown>>,
): boolean =>
  settings.take === undefined ||
  (settings.reverse !== true && settings.type === undefined && !settings.cursorPath)

const NO_TWO_CHOICES = '"take" goes with "idKey", and neither with "reverse" nor with "type"'

const cursor = method('cursor', {
  idKey: key(name, 'Path of a whole number in each item.'),
  param: key(name, 'Name of the parameter that carries it. A job param of that name is the first value.'),
  increment: maybe(integer, 'Added to the value.', 0),
  reverse: maybe(flag, '`true`: the smallest value; then `increment` is usually negative.', false),
  take: maybe(Take, TAKE_MEANS),
}).refine(isOneChoice, NO_TWO_CHOICES)

/** The next page from the `Link` header (RFC 8288). Ours (docs/reference/extractor-pagination.md#header-link). */
const headerLink = method('header-link', {
  rel: maybe(text, 'Which link of the header.', 'next'),
  includeParams: maybe(flag, '`true`: adds the params of the job to the address.', false),
})

/**
 * A cursor that may be text or a date, from the response or from the items. Ours
 * (docs/reference/extractor-pagination.md#json-cursor).
 */
const jsonCursor = method('json-cursor', {
  param: key(
    name,
    'Name of the parameter that carries the cursor. In a JSON body (`"method": "POST"`) it may be a path: `variables.after`.',
  ),
  cursorPath: maybe(text, 'Path in the response; ends when it is empty. This one or `idKey`.'),
  idKey: maybe(text, 'Path in each item; the largest counts. Ends with a page without items.'),
  type: maybe(
    Ordering,
    'How values of `idKey` are compared. Without it: two numbers of JSON as numbers, else as texts.',
  ),
  reverse: maybe(flag, '`true`: the smallest value of `idKey`.', false),
  take: maybe(Take, TAKE_MEANS),
})
  .refine(
    ({ cursorPath, idKey }) => Boolean(cursorPath) !== Boolean(idKey),
    'give exactly one of "cursorPath" (in the response) and "idKey" (in each item)',
  )
  .refine(isOneChoice, NO_TWO_CHOICES)

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

const multiple = method('multiple', {
  scrollers: key(record(SinglePagination), 'By name: the keys of any other method.'),
  default: maybe(text, 'Name of the one for jobs without `scroller`. Without it: one page.'),
})

/** `api.pagination` (docs/reference/extractor-pagination.md#pagination). */
export const Pagination = z.discriminatedUnion('method', [...singles, multiple], {
  error: unknownKind('method', 'unknown pagination method', [...kindsOf('method', singles), 'multiple']),
})

export type Pagination = z.output<typeof Pagination>
export type SinglePagination = z.output<typeof SinglePagination>
export type PaginationOf<Method extends SinglePagination['method']> = Extract<
  SinglePagination,
  { method: Method }
>
