import * as z from 'zod/mini'
import { configurationBody, configurationSummaryBody } from './configuration-body.ts'
import { anyObject, described } from './fields.ts'

/** Used unescaped in paths, addresses and item keys. */
const componentId = z.string().check(z.regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/))
const object = () => z._default(anyObject, {})
const text = () => z._default(z.string(), '')
const list = () => z._default(z.array(z.string()), [])

/**
 * A component as its file in the catalogue describes it (docs/reference/storage-api.md#components). Only `id`, `type`
 * and `name` are required. An unknown key is refused, so that a misspelt one is noticed when the stack is made.
 */
export const componentFile = z.strictObject({
  id: componentId,
  type: z.enum(['extractor', 'writer', 'application', 'transformation', 'processor', 'other']),
  name: z.string().check(z.minLength(1)),
  description: text(),
  longDescription: text(),
  version: z._default(z.int().check(z.minimum(1)), 1),
  complexity: z._default(z.nullable(z.string()), null),
  categories: list(),
  hasUI: z._default(z.boolean(), false),
  hasRun: z._default(z.boolean(), false),
  ico32: text(),
  ico64: text(),
  ico128: text(),
  data: object(),
  flags: list(),
  configurationSchema: object(),
  configurationRowSchema: object(),
  emptyConfiguration: object(),
  emptyConfigurationRow: object(),
  createConfigurationRowSchema: object(),
  uiOptions: object(),
  configurationDescription: z._default(z.nullable(z.string()), null),
  features: list(),
  expiredOn: z._default(z.nullable(z.string()), null),
  dataTypesConfiguration: object(),
  processorConfiguration: object(),
  documentationUrl: text(),
})

export type Component = z.infer<typeof componentFile>

export const componentBody = z
  .extend(componentFile, { uri: z.string() })
  .register(described, { id: 'Component' })

/** With its configurations, and of those the parts that were asked for. */
export const listedComponentBody = z.extend(componentBody, {
  configurations: z.array(
    z.extend(configurationSummaryBody, {
      configuration: z.optional(anyObject),
      state: z.optional(anyObject),
      rows: z.optional(z.array(z.unknown())),
      rowsSortOrder: z.optional(configurationBody.shape.rowsSortOrder),
    }),
  ),
})
