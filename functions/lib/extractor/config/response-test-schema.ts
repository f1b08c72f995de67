import * as z from 'zod'
import { plainNumber } from '../../json/json-value.ts'
import { flag, key, name, optional, Scalar } from './fields.ts'
import { strictObject } from './strict-object.ts'

const Status = z
  .preprocess(plainNumber, z.union([z.number(), z.string()]))
  .refine(
    status => /^[1-5](\d\d|xx)$/.test(String(status)),
    'must be a status such as 404, or a class such as "4xx"',
  )

const comparisons = {
  equals: key(optional(z.union([Scalar, z.array(Scalar)])), 'The value, or one of a list.'),
  contains: key(optional(name), 'A part of its text.'),
  exists: key(optional(flag), 'Whether it is there.'),
}

const exactlyOne = {
  check: (test: { equals?: unknown; contains?: unknown; exists?: unknown }) =>
    [test.equals, test.contains, test.exists].filter(given => given !== undefined).length === 1,
  message: 'give exactly one of "equals", "contains" and "exists"',
}

const HeaderTest = strictObject({ name: key(name, 'Name of the header.'), ...comparisons }).refine(
  exactlyOne.check,
  exactlyOne.message,
)

const BodyTest = strictObject({
  path: key(optional(name), 'Path in the response. Without it: the whole body as text.'),
  ...comparisons,
}).refine(exactlyOne.check, exactlyOne.message)

/** What a response has to be like; all that is given has to hold (docs/reference/extractor-requests.md#error-rules). */
export const ResponseTest = strictObject({
  status: key(
    optional(z.union([Status, z.array(Status)])),
    'A status, a class such as `4xx`, or a list of them. Without it any from 400 on.',
  ),
  header: key(optional(HeaderTest), 'A header, by one of the three comparisons.'),
  body: key(optional(BodyTest), 'A value of the body, or all of it, in the same way.'),
}).refine(
  test => Object.values(test).some(given => given !== undefined),
  'must name a status, header or body',
)

export type ResponseTest = z.output<typeof ResponseTest>
export type Comparison = Pick<z.output<typeof BodyTest>, 'equals' | 'contains' | 'exists'>

export const isStatusClass = (status: string | number): status is string => String(status).endsWith('xx')
