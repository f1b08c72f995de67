import { z } from 'zod'
import { ConfigFile } from '#lib/extractor/config/config-schema.ts'

const schema = z.object({
  properties: z.object({ parameters: z.record(z.string(), z.unknown()) }),
  $defs: z.record(z.string(), z.unknown()).optional(),
})

/** The JSON schema of a whole configuration, as it is written: before defaults and repairs of odd values are applied. */
export const configurationSchema = (): unknown =>
  z.toJSONSchema(ConfigFile, {
    io: 'input',
    unrepresentable: 'any',
    target: 'draft-2020-12',
    override: ({ jsonSchema }) => {
      // Notes of editors are dropped before a configuration is read
      if (jsonSchema.additionalProperties === false) jsonSchema.patternProperties = { '^__': {} }
      // A default of its own would be left out where a value is made of what is written (a number of its digits)
      if (!('fallback' in jsonSchema)) return
      jsonSchema.default = jsonSchema['fallback'] as typeof jsonSchema.default // JSON, as given to `key`
      delete jsonSchema['fallback']
    },
  })

/**
 * The JSON schema of the `parameters` of `ex-generic-v2`, made from what the extractor reads them with, for editors of
 * configurations. Nothing is required in it: rows hold a part each, and are merged with the root before they are run.
 */
export const extractorParametersSchema = (): Record<string, unknown> => {
  const { properties, $defs } = schema.parse(configurationSchema())
  const { required: _, ...parameters } = properties.parameters
  return { ...parameters, ...($defs && { $defs }) }
}
