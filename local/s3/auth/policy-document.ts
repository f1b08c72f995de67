import { z } from 'zod'

export interface PolicyStatement {
  Sid?: string
  Effect: 'Allow' | 'Deny'
  Action: string | string[]
  Resource: string | string[]
  Condition?: Record<string, Record<string, string | boolean | number | (string | boolean | number)[]>>
}

/** An IAM policy in JSON, as far as this server can enforce it. `NotAction`, `NotResource` and variables are refused. */
export interface PolicyDocument {
  Version?: string
  Id?: string
  Statement: PolicyStatement | PolicyStatement[]
}

/** A statement whose single values have become lists. */
export interface Statement {
  effect: 'Allow' | 'Deny'
  actions: string[]
  resources: string[]
  conditions: { operator: string; key: string; values: string[] }[]
}

const text = z.string().refine(value => !value.includes('${'), 'policy variables are not supported')
const oneOrMore = z.union([text, z.array(text)]).transform(value => [value].flat())
const scalar = z.union([text, z.boolean(), z.number()]).transform(String)
const conditionValues = z.union([scalar, z.array(scalar)]).transform(value => [value].flat())

const StatementSchema = z
  .strictObject({
    Sid: z.string().optional(),
    Effect: z.enum(['Allow', 'Deny']),
    Action: oneOrMore,
    Resource: oneOrMore,
    Condition: z.record(z.string(), z.record(z.string(), conditionValues)).optional(),
  })
  .transform(
    (statement): Statement => ({
      effect: statement.Effect,
      actions: statement.Action,
      resources: statement.Resource,
      conditions: Object.entries(statement.Condition ?? {}).flatMap(([operator, keys]) =>
        Object.entries(keys).map(([key, values]) => ({ operator, key, values })),
      ),
    }),
  )

const PolicySchema = z.strictObject({
  Version: z.string().optional(),
  Id: z.string().optional(),
  // Not a union of one and many: its error would not say which field is wrong.
  Statement: z.preprocess(value => [value].flat(), z.array(StatementSchema)),
})

/** Thrown for a policy that cannot be enforced as it is written; the message names the field. */
export class MalformedPolicyError extends Error {
  override readonly name = 'MalformedPolicyError'
}

/** Reads a policy. Throws MalformedPolicyError, which names what is not supported, such as `NotAction`. */
export const parsePolicy = (document: unknown): Statement[] => {
  const parsed = PolicySchema.safeParse(document)
  if (!parsed.success)
    throw new MalformedPolicyError(`The policy is not valid: ${z.prettifyError(parsed.error)}`)
  return parsed.data.Statement
}
