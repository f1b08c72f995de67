import { z } from 'zod'
import { hexDigest } from '#lib/digests.ts'
import { arn, resourceType, tags, withoutMeaningHere } from './resource-type.ts'

const flag = z
  .union([z.boolean(), z.enum(['true', 'false']).transform(text => text === 'true')])
  .default(false)

export const secret = resourceType({
  type: 'AWS::SecretsManager::Secret',
  properties: z
    .strictObject({
      Name: z.string().optional(),
      SecretString: z.string().optional(),
      GenerateSecretString: z
        .strictObject({
          PasswordLength: z.coerce.number().int().min(1).max(4096).default(32),
          ExcludeCharacters: z.string().default(''),
          ExcludeLowercase: flag,
          ExcludeUppercase: flag,
          ExcludeNumbers: flag,
          ExcludePunctuation: flag,
          IncludeSpace: flag,
          RequireEachIncludedType: z.union([z.boolean(), z.string()]).optional(),
          SecretStringTemplate: z.string().optional(),
          GenerateStringKey: z.string().optional(),
        })
        .optional(),
      Description: withoutMeaningHere('it is text for the console'),
      KmsKeyId: withoutMeaningHere('the value rests in the data directory, readable by its owner only'),
      Tags: tags,
    })
    .refine(({ SecretString, GenerateSecretString }) => !(SecretString && GenerateSecretString), {
      error: 'a secret has a value or a generator, not both',
    }),
  nameProperty: 'Name',
  // Secrets Manager adds six characters to the name. Here they follow from the name: a restart keeps the ARN.
  ref: ({ name }) => arn('secretsmanager', `secret:${name}-${suffix(name)}`),
  attributes: { Id: ({ name }) => arn('secretsmanager', `secret:${name}-${suffix(name)}`) },
})

export type SecretProperties = z.infer<typeof secret.properties>

const suffix = (name: string) => hexDigest(name, 6)
