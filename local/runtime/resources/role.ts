import { z } from 'zod'
import { account, resourceType, tags, withoutMeaningHere } from './resource-type.ts'

const oneOrMore = z.union([z.string(), z.array(z.string())])

const scalar = z.union([z.string(), z.boolean(), z.number()])

const policyDocument = z.strictObject({
  Version: z.string().optional(),
  Statement: z.array(
    z.strictObject({
      Sid: z.string().optional(),
      Effect: z.enum(['Allow', 'Deny']),
      Action: oneOrMore,
      Resource: oneOrMore,
      Condition: z.record(z.string(), z.record(z.string(), z.union([scalar, z.array(scalar)]))).optional(),
    }),
  ),
})

/** An identity policy with its resource ARNs resolved. */
export type PolicyDocument = z.infer<typeof policyDocument>

const basicExecution = /:iam::aws:policy\/service-role\/AWSLambdaBasicExecutionRole$/

export const role = resourceType({
  type: 'AWS::IAM::Role',
  properties: z.strictObject({
    RoleName: z.string().optional(),
    AssumeRolePolicyDocument: z.strictObject({
      Version: z.string().optional(),
      Statement: z.array(z.unknown()),
    }),
    Policies: z.array(z.strictObject({ PolicyName: z.string(), PolicyDocument: policyDocument })).default([]),
    // It allows writing logs, which are files here. Any other managed policy would grant rights that are not checked.
    ManagedPolicyArns: z.array(z.string().regex(basicExecution)).optional(),
    MaxSessionDuration: z.coerce.number().int().min(3600).max(43_200).default(3600),
    PermissionsBoundary: withoutMeaningHere('it is a policy of the account, which is not here'),
    Description: withoutMeaningHere('it is text for the console'),
    Tags: tags,
  }),
  nameProperty: 'RoleName',
  ref: ({ name }) => name,
  attributes: { Arn: ({ name }) => `arn:${account.partition}:iam::${account.id}:role/${name}` },
})

export const policy = resourceType({
  type: 'AWS::IAM::Policy',
  properties: z.strictObject({
    PolicyName: z.string(),
    PolicyDocument: policyDocument,
    Roles: z.array(z.string()),
  }),
  ref: ({ name }) => name,
  attributes: {},
})
