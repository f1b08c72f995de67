import * as z from 'zod/mini'

export const searchTypes = [
  'flow',
  'bucket',
  'table',
  'transformation',
  'configuration',
  'configuration-row',
  'workspace',
  'shared-code',
] as const

const idAndName = z.object({ id: z.string(), name: z.string() })

/** What has a name that was looked for, and where it is. */
const foundBody = z.object({
  id: z.string(),
  type: z.enum(searchTypes),
  name: z.string(),
  fullPath: z.object({
    project: z.object({ id: z.int(), name: z.string() }),
    branch: z.object({ id: z.int(), name: z.string(), isDefault: z.boolean(), isNative: z.boolean() }),
    component: z.optional(idAndName),
    configuration: z.optional(idAndName),
    bucket: z.optional(idAndName),
  }),
  componentId: z.nullable(z.string()),
  organizationId: z.int(),
  projectId: z.int(),
  projectName: z.string(),
  created: z.string(),
  uri: z.optional(z.string()),
})

export const searchBody = z.object({
  all: z.int(),
  items: z.array(foundBody),
  byType: z.record(z.string(), z.int()),
  byProject: z.record(z.string(), z.string()),
})

export type SearchBody = z.infer<typeof searchBody>
