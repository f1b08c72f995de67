import { z } from 'zod'

/** A statement whose single values have become lists. */
export interface Statement {
  effect: 'Allow' | 'Deny'
  actions: string[]
  resources: string[]
  conditions: { operator: Operator; key: string; values: string[] }[]
}

const operators = ['StringEquals', 'StringLike', 'ArnEquals', 'ArnLike', 'Bool'] as const
/** Of keys that have several values (IAM User Guide, "Set operators for multivalued context keys"). */
export const FOR_ALL = 'ForAllValues:StringLike'
type Operator = (typeof operators)[number] | typeof FOR_ALL

/** The condition keys that requests here may have. */
const keys = new Set([
  'aws:securetransport',
  'aws:sourceaccount',
  'aws:sourcearn',
  'dynamodb:leadingkeys',
  's3:prefix',
  's3:x-amz-acl',
  's3:x-amz-server-side-encryption',
])

const text = z.string().refine(value => !value.includes('${'), 'policy variables are not supported')
const oneOrMore = z.union([text, z.array(text)]).transform(value => [value].flat())
const scalar = z.union([text, z.boolean(), z.number()]).transform(String)
const conditionValues = z.union([scalar, z.array(scalar)]).transform(value => [value].flat())
const keyName = z.string().refine(key => keys.has(key.toLowerCase()), 'this condition key is not supported')

const StatementSchema = z
  .strictObject({
    Sid: z.string().optional(),
    Effect: z.enum(['Allow', 'Deny']),
    Action: oneOrMore,
    Resource: oneOrMore,
    Condition: z
      .partialRecord(z.enum([...operators, FOR_ALL]), z.record(keyName, conditionValues))
      .optional(),
  })
  .transform(
    (statement): Statement => ({
      effect: statement.Effect,
      actions: statement.Action,
      resources: statement.Resource,
      conditions: Object.entries(statement.Condition ?? {}).flatMap(([operator, wanted]) =>
        Object.entries(wanted).map(([key, values]) => ({
          operator: operator as Operator, // by the schema
          key: key.toLowerCase(),
          values,
        })),
      ),
    }),
  )

const PolicySchema = z.strictObject({
  Version: z.string().optional(),
  Statement: z.array(StatementSchema),
})

/**
 * An IAM policy, as far as it can be enforced here: a statement, an operator or a condition key that cannot be is refused, as
 * `NotAction`, `NotResource` and variables are.
 */
export type PolicyDocument = z.input<typeof PolicySchema>

/** Reads a policy. Throws for one that cannot be enforced as it is written, and names the field, such as `NotAction`. */
export const parsePolicy = (document: unknown): Statement[] => {
  const parsed = PolicySchema.safeParse(document)
  if (!parsed.success) throw new Error(`The policy is not valid: ${z.prettifyError(parsed.error)}`)
  return parsed.data.Statement
}
