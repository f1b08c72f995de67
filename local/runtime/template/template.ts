import { z } from 'zod'
import { unsupported } from './unsupported.ts'

const resourceSchema = z.strictObject({
  Type: z.string(),
  Properties: z.record(z.string(), z.unknown()).default({}),
  Metadata: z.record(z.string(), z.unknown()).default({}),
  Condition: z.string().optional(),
  // Resources are made after everything they refer to, whatever DependsOn says.
  DependsOn: z.union([z.string(), z.array(z.string())]).optional(),
  // The runtime never deletes from the data directory, so every resource is retained.
  DeletionPolicy: z.string().optional(),
  UpdateReplacePolicy: z.string().optional(),
})

const parameterSchema = z.looseObject({ Type: z.string(), Default: z.unknown().optional() })

const outputSchema = z.strictObject({
  Value: z.unknown(),
  Description: z.string().optional(),
  Condition: z.string().optional(),
  Export: z.unknown().optional(),
})

const templateSchema = z.strictObject({
  AWSTemplateFormatVersion: z.string().optional(),
  Description: z.string().optional(),
  Metadata: z.record(z.string(), z.unknown()).optional(),
  Parameters: z.record(z.string(), parameterSchema).default({}),
  Conditions: z.record(z.string(), z.unknown()).default({}),
  // CDK's only rule checks the account's bootstrap stack, which does not exist here.
  Rules: z.strictObject({ CheckBootstrapVersion: z.unknown() }).optional(),
  Resources: z.record(z.string(), resourceSchema),
  Outputs: z.record(z.string(), outputSchema).default({}),
})

/** A CloudFormation template, its sections present and its intrinsics not yet resolved. */
export type Template = z.infer<typeof templateSchema>
export type TemplateResource = z.infer<typeof resourceSchema>

/** Reads a synthesised template. A section or resource attribute that is not listed above is refused by its name. */
export const parseTemplate = (value: unknown): Template => {
  const parsed = templateSchema.safeParse(value)
  if (!parsed.success) throw unsupported('The template', z.prettifyError(parsed.error))
  return parsed.data
}
