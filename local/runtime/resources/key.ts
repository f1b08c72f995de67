import { z } from 'zod'
import { hexDigest } from '#lib/digests.ts'
import { account, arn, resourceType, tags, withoutMeaningHere } from './resource-type.ts'

const root = `arn:${account.partition}:iam::${account.id}:root`

/** The only key policy accepted: it leaves the decision to the policies of the roles, which are checked here. */
const rolesDecide = z.strictObject({
  Version: z.string().optional(),
  Statement: z.array(
    z.strictObject({
      Sid: z.string().optional(),
      Effect: z.literal('Allow'),
      Principal: z.strictObject({ AWS: z.literal(root) }),
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
