import { z } from '@hono/zod-openapi'
import { anyObject } from '../http/body-fields.ts'

/** Used unescaped in paths, addresses and item keys. */
const componentId = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/)

/**
 * A component as its file in the catalogue describes it (docs/reference/storage-api.md#components). Only `id`, `type`
 * and `name` are required. An unknown key is refused, so that a misspelt one is noticed when the stack is made.
 */
export const componentFile = z.strictObject({
  id: componentId,
  type: z.enum(['extractor', 'writer', 'application', 'transformation', 'processor', 'other']),
  name: z.string().min(1),
  description: z.string().default(''),
  longDescription: z.string().default(''),
  version: z.int().min(1).default(1),
  complexity: z.string().nullable().default(null),
  categories: z.array(z.string()).default([]),
  hasUI: z.boolean().default(false),
  hasRun: z.boolean().default(false),
  ico32: z.string().default(''),
  ico64: z.string().default(''),
  ico128: z.string().default(''),
  data: anyObject.default({}),
  flags: z.array(z.string()).default([]),
  configurationSchema: anyObject.default({}),
  configurationRowSchema: anyObject.default({}),
  emptyConfiguration: anyObject.default({}),
  emptyConfigurationRow: anyObject.default({}),
  createConfigurationRowSchema: anyObject.default({}),
  uiOptions: anyObject.default({}),
  configurationDescription: z.string().nullable().default(null),
  features: z.array(z.string()).default([]),
  expiredOn: z.string().nullable().default(null),
  dataTypesConfiguration: anyObject.default({}),
  processorConfiguration: anyObject.default({}),
  documentationUrl: z.string().default(''),
})

export type Component = z.infer<typeof componentFile>

/** The component on the wire. */
export const componentResource = (component: Component, baseUrl: string) => ({
  ...component,
  uri: `${baseUrl}/v2/storage/components/${component.id}`,
})

export const componentBody = componentFile.extend({ uri: z.string() }).openapi('Component')
