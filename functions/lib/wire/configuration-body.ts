import * as z from 'zod/mini'
import { anyObject, creatorToken, described, wireDateText } from './fields.ts'

/** Who made a version, when and why. */
export const changeBody = z.object({
  created: wireDateText,
  creatorToken,
  changeDescription: z.string(),
  versionIdentifier: z.string(),
})

const warning = z
  .object({
    place: z.string().register(described, { example: 'configuration.parameters.config' }),
    message: z.string(),
  })
  .register(described, { id: 'ConfigurationWarning' })

export type ConfigurationWarning = z.infer<typeof warning>

/** Our addition to the replies to changes: what is wrong with what was stored. Absent when nothing is. */
export const warnedFields = { warnings: z.optional(z.array(warning)) }

/** A row without its state, as it is in versions. */
export const rowVersionBody = z
  .extend(z.omit(changeBody, { versionIdentifier: true }), {
    id: z.string(),
    name: z.string(),
    description: z.string(),
    configuration: anyObject,
    isDisabled: z.boolean(),
    version: z.int(),
  })
  .register(described, { id: 'ConfigurationRowVersion' })

export const listedRowVersionBody = z.partial(rowVersionBody, { configuration: true })

/** A current row (docs/reference/storage-api.md#configuration-rows). */
export const rowBody = z
  .extend(rowVersionBody, { state: anyObject, ...warnedFields })
  .register(described, { id: 'ConfigurationRow' })

/** A configuration without the parts that a list leaves out: configuration, rows and state. */
export const configurationSummaryBody = z.object({
  id: z.string().register(described, { example: '4198234560512' }),
  name: z.string().register(described, { example: 'Orders of the shop' }),
  description: z.string(),
  created: wireDateText,
  creatorToken,
  version: z.int().register(described, { example: 3 }),
  changeDescription: z.string().register(described, { example: 'Configuration updated' }),
  isDisabled: z.boolean(),
  isDeleted: z.boolean(),
  currentVersion: changeBody,
  /** Our addition to the API: the tokens that stored the parts of what runs. A run may do what all of them may. */
  authors: z.array(creatorToken),
})

const content = {
  configuration: anyObject,
  rowsSortOrder: z.array(z.string()),
  rows: z.array(rowBody),
  state: anyObject,
}

/** A complete configuration (docs/reference/storage-api.md#configuration-resource). */
export const configurationBody = z
  .extend(configurationSummaryBody, {
    ...content,
    /** Our addition to the detail: digests of the sealed values that the service copied here. */
    adoptedSecrets: z.optional(z.array(z.string())),
    ...warnedFields,
  })
  .register(described, { id: 'Configuration' })

/** What a new configuration is answered with: rows are asked for by themselves, and the hosted service names none. */
export const newConfigurationBody = z
  .omit(configurationBody, { rows: true })
  .register(described, { id: 'NewConfiguration' })

export type ConfigurationBody = z.infer<typeof configurationBody>

const versionEntryBody = z
  .extend(changeBody, {
    version: z.int(),
    isDeleted: z.boolean(),
    name: z.string(),
    description: z.string(),
    configuration: z.optional(anyObject),
  })
  .register(described, { id: 'ConfigurationVersionEntry' })

/** One version with its content. States belong to no version. */
export const versionBody = z
  .extend(versionEntryBody, {
    configuration: anyObject,
    rowsSortOrder: z.array(z.string()),
    isDisabled: z.boolean(),
    rows: z.array(rowVersionBody),
  })
  .register(described, { id: 'ConfigurationVersion' })

/** In a list a version has only those parts of its content that were asked for. */
export const listedVersionBody = z.partial(versionBody, {
  description: true,
  configuration: true,
  rows: true,
  rowsSortOrder: true,
  isDisabled: true,
})

/** The version that a rollback made. */
export const rolledBackBody = z.object({
  version: z.string().register(described, { example: '7' }),
  ...warnedFields,
})

/** The configuration that a copy made. */
export const copiedBody = z.object({ id: z.string(), ...warnedFields })
