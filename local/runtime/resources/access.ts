import { z } from 'zod'
import { hexDigest } from '#lib/digests.ts'
import { account, arn, resourceType, tags, withoutMeaningHere } from './resource-type.ts'

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
  attributes: { Arn: ({ name }) => `arn:${account.partition}:iam::${account.id}:role/${name}` },
})

export const policy = resourceType({
  type: 'AWS::IAM::Policy',
  properties: z.strictObject({
    PolicyName: z.string(),
    PolicyDocument: policyDocument,
    Roles: z.array(z.string()),
  }),
})

const accountRoot = `arn:${account.partition}:iam::${account.id}:root`

/** The only key policy accepted: it leaves the decision to the policies of the roles, which are checked here. */
const rolesDecide = z.strictObject({
  Version: z.string().optional(),
  Statement: z.array(
    z.strictObject({
      Sid: z.string().optional(),
      Effect: z.literal('Allow'),
      Principal: z.strictObject({ AWS: z.literal(accountRoot) }),
      Action: z.literal('kms:*'),
      Resource: z.literal('*'),
    }),
  ),
})

export const key = resourceType({
  type: 'AWS::KMS::Key',
  properties: z.strictObject({
    KeyPolicy: rolesDecide,
    KeySpec: z.literal('SYMMETRIC_DEFAULT').optional(),
    KeyUsage: z.literal('ENCRYPT_DECRYPT').optional(),
    Enabled: z.literal(true).optional(),
    MultiRegion: z.literal(false).optional(),
    EnableKeyRotation: withoutMeaningHere('the key file is replaced by its owner, not by a service'),
    RotationPeriodInDays: withoutMeaningHere('the key file is replaced by its owner, not by a service'),
    PendingWindowInDays: withoutMeaningHere('a key is deleted with the data directory'),
    Description: withoutMeaningHere('it is text for the console'),
    Tags: tags,
  }),
  ref: ({ name }) => keyId(name),
  attributes: {
    Arn: ({ name }) => arn('kms', `key/${keyId(name)}`),
    KeyId: ({ name }) => keyId(name),
  },
})

/** A UUID as KMS makes it, derived from the name so that it is the same after a restart. */
const keyId = (name: string): string => {
  const digits = hexDigest(name)
  return [
    digits.slice(0, 8),
    digits.slice(8, 12),
    digits.slice(12, 16),
    digits.slice(16, 20),
    digits.slice(20, 32),
  ].join('-')
}

export const secret = resourceType({
  type: 'AWS::SecretsManager::Secret',
  properties: z.strictObject({
    Name: z.string().optional(),
    // Letters and digits, under a key of a JSON object: what the stack asks for.
    GenerateSecretString: z.strictObject({
      PasswordLength: z.coerce.number().int().min(1).max(4096).default(32),
      ExcludePunctuation: z.union([z.literal(true), z.literal('true')]),
      SecretStringTemplate: z.string(),
      GenerateStringKey: z.string(),
    }),
    Description: withoutMeaningHere('it is text for the console'),
    KmsKeyId: withoutMeaningHere('the value rests in the data directory, readable by its owner only'),
    Tags: tags,
  }),
  nameProperty: 'Name',
  // Secrets Manager adds six characters to the name. Here they follow from the name: a restart keeps the ARN.
  ref: ({ name }) => arn('secretsmanager', `secret:${name}-${secretSuffix(name)}`),
  attributes: { Id: ({ name }) => arn('secretsmanager', `secret:${name}-${secretSuffix(name)}`) },
})

export type SecretProperties = z.infer<typeof secret.properties>

const secretSuffix = (name: string) => hexDigest(name, 6)
