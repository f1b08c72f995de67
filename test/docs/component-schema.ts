import { z } from 'zod'
import { ConfigFile } from '../../functions/lib/extractor/config/config-schema.ts'

const schema = z.object({
  properties: z.object({ parameters: z.record(z.string(), z.unknown()) }),
  $defs: z.record(z.string(), z.unknown()).optional(),
})

/**
 * The JSON schema of the `parameters` of `ex-generic-v2`, made from what the extractor reads them with, for editors of
 * configurations. Nothing is required in it: rows hold a part each, and are merged with the root before they are run.
 */
export const extractorParametersSchema = (): Record<string, unknown> => {
  const { properties, $defs } = schema.parse(
    z.toJSONSchema(ConfigFile, {
      // As it is written: before defaults, and before the repairs of what Generic Extractor makes of odd values.
      io: 'input',
      unrepresentable: 'any',
      target: 'draft-2020-12',
    }),
  )
  const { required: _, ...parameters } = properties.parameters
  return { ...parameters, ...($defs && { $defs }) }
}
