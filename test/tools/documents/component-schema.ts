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
 * configurations. It names keys and values, and refuses nothing that runs, with `compat` too, and no draft: clients that check
 * before they store would refuse what others stored.
 */
export const extractorParametersSchema = (): Record<string, unknown> => {
  const { properties, $defs } = schema.parse(configurationSchema())
  return opened({ ...properties.parameters, ...($defs && { $defs }) }) as Record<string, unknown>
}

/** Conditions, which are left out. Values that are told from each other become examples. */
const CONDITIONS = new Set([
  ...['additionalProperties', 'patternProperties', 'propertyNames', 'required', 'type'],
  ...['format', 'maximum', 'maxLength', 'minimum', 'minItems', 'minLength', 'pattern'],
])

const opened = (given: unknown): unknown => {
  if (Array.isArray(given)) return given.map(opened)
  if (typeof given !== 'object' || given === null) return given
  const open: Record<string, unknown> = {}
  for (const [key, value] of Object.entries(given)) {
    // That an object may have other keys, too, is no condition: editors mark unknown keys elsewhere.
    if (CONDITIONS.has(key) && !(key === 'additionalProperties' && value !== false)) continue
    if (key === 'properties' || key === '$defs') open[key] = mapped(value as object)
    else if (key === 'enum') open['examples'] = value
    else if (key === 'const') open['examples'] = [value]
    else open[key === 'oneOf' ? 'anyOf' : key] = key === 'default' ? value : opened(value)
  }
  return open
}

const mapped = (schemas: object) =>
  Object.fromEntries(Object.entries(schemas).map(([name, each]) => [name, opened(each)]))
