import * as z from 'zod'
import { flag, name, optional, Scalar } from './fields.ts'
import { strictObject } from './strict-object.ts'

const Status = z
  .union([z.number(), z.string()])
  .refine(
    status => /^[1-5](\d\d|xx)$/.test(String(status)),
    'must be a status such as 404, or a class such as "4xx"',
  )

const comparisons = {
  equals: optional(z.union([Scalar, z.array(Scalar)])),
  contains: optional(name),
  exists: optional(flag),
}

const exactlyOne = {
  check: (test: { equals?: unknown; contains?: unknown; exists?: unknown }) =>
    [test.equals, test.contains, test.exists].filter(given => given !== undefined).length === 1,
  message: 'give exactly one of "equals", "contains" and "exists"',
}

const HeaderTest = strictObject({ name, ...comparisons }).refine(exactlyOne.check, exactlyOne.message)

const BodyTest = strictObject({ path: optional(name), ...comparisons }).refine(
  exactlyOne.check,
  exactlyOne.message,
)

/** What a response has to be like; all that is given has to hold (docs/reference/extractor.md#error-rules). */
export const ResponseTest = strictObject({
  status: optional(z.union([Status, z.array(Status)])),
  header: optional(HeaderTest),
  body: optional(BodyTest),
}).refine(
  test => Object.values(test).some(given => given !== undefined),
  'must name a status, header or body',
)

export type ResponseTest = z.output<typeof ResponseTest>
export type Comparison = Pick<z.output<typeof BodyTest>, 'equals' | 'contains' | 'exists'>

export const isStatusClass = (status: string | number): status is string => String(status).endsWith('xx')
