import { z } from 'zod'
import { account, resourceType, withoutMeaningHere } from './resource-type.ts'

export const glueDatabase = resourceType({
  type: 'AWS::Glue::Database',
  properties: z.strictObject({
    CatalogId: z.literal(account.id),
    DatabaseInput: z.strictObject({
      Name: z.string().regex(/^[a-z0-9_]{1,255}$/, 'Athena takes lower case, digits and underscores'),
      Description: withoutMeaningHere('it is text for the console'),
    }),
  }),
  // The name lies deeper than where a type can say so: `Ref` gives the generated one, which nobody may use.
  ref: ({ logicalId }) => logicalId,
  attributes: {},
})
