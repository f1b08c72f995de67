import { z } from '@hono/zod-openapi'
import { UserError } from '../../lib/errors/errors.ts'
import { parseExactly } from '../../lib/json/parse-exactly.ts'
import {
  type Change,
  type Configuration,
  type Content,
  emptyObject,
  type Row,
  rowMemory,
  rowsInOrder,
  type Version,
} from '../../lib/storage/configurations/configuration.ts'
import type { VersionEntry } from '../../lib/storage/configurations/configuration-history.ts'
import { wireDate } from '../../lib/storage/wire-date.ts'
import { anyObject, creatorToken, wireDateText } from '../http/body-fields.ts'

const tokenOf = ({ id, description }: Change['token']) => ({ id: Number(id), description })

/** Who made a version, in its detail and in the list. */
const changeResource = (changed: Change) => ({
  created: wireDate(changed.at),
  creatorToken: tokenOf(changed.token),
  changeDescription: changed.description,
  versionIdentifier: changed.identifier,
})

const changeBody = z.object({
  created: wireDateText,
  creatorToken,
  changeDescription: z.string(),
  versionIdentifier: z.string(),
})

/** A row without its state, as it is in versions. */
export const rowVersionResource = (row: Row) => ({
  id: row.id,
  name: row.name,
  description: row.description,
  configuration: parseExactly(row.configuration),
  isDisabled: row.isDisabled,
  version: row.version,
  ...changeResource(row.changed),
})

export const rowVersionBody = changeBody
  .extend({
    id: z.string(),
    name: z.string(),
    description: z.string(),
    configuration: anyObject,
    isDisabled: z.boolean(),
    version: z.int(),
  })
  .openapi('ConfigurationRowVersion')

/** A current row (docs/reference/storage-api.md#configuration-rows). */
export const rowResource = (row: Row, configuration: Configuration) =>
  rowWithState(row, rowMemory(configuration, row.id).state)

const rowWithState = (row: Row, state: string) => ({
  ...rowVersionResource(row),
  created: wireDate(row.created),
  creatorToken: tokenOf(row.creatorToken),
  state: parseExactly(state),
})

export const rowBody = rowVersionBody.extend({ state: anyObject }).openapi('ConfigurationRow')

/** A configuration without the parts that a list leaves out: configuration, rows and state. */
const configurationSummary = (configuration: Configuration) => {
  const { version, changed, content } = configuration.current
  return {
    id: configuration.id,
    name: content.name,
    description: content.description,
    created: wireDate(configuration.created),
    creatorToken: tokenOf(configuration.creatorToken),
    version,
    changeDescription: changed.description,
    isDisabled: content.isDisabled,
    isDeleted: content.isDeleted,
    currentVersion: changeResource(changed),
    ...(configuration.disarmed && {
      scheduleDisarmed: {
        by: tokenOf(configuration.disarmed.by),
        armedBy: tokenOf(configuration.disarmed.armedBy),
      },
    }),
  }
}

/** A complete configuration (docs/reference/storage-api.md#configuration-resource). */
export const configurationResource = (configuration: Configuration) => {
  const { content } = configuration.current
  const states = new Map(configuration.rows.map(({ id, state }) => [id, state]))
  return {
    ...configurationSummary(configuration),
    configuration: parseExactly(content.configuration),
    rowsSortOrder: content.rowsSortOrder,
    rows: rowsInOrder(content).map(row => rowWithState(row, states.get(row.id) ?? emptyObject)),
    state: parseExactly(configuration.state),
  }
}

export const configurationSummaryBody = z.object({
  id: z.string().openapi({ example: '4198234560512' }),
  name: z.string().openapi({ example: 'Orders of the shop' }),
  description: z.string(),
  created: wireDateText,
  creatorToken,
  version: z.int().openapi({ example: 3 }),
  changeDescription: z.string().openapi({ example: 'Configuration updated' }),
  isDisabled: z.boolean(),
  isDeleted: z.boolean(),
  currentVersion: changeBody,
  /** Our addition to the API. Present while the schedule is off. */
  scheduleDisarmed: z.object({ by: creatorToken, armedBy: creatorToken }).optional(),
})

export const configurationBody = configurationSummaryBody
  .extend({
    configuration: anyObject,
    rowsSortOrder: z.array(z.string()),
    rows: z.array(rowBody),
    state: anyObject,
    /** Our addition to the detail: digests of the sealed values that the service copied here. */
    adoptedSecrets: z.array(z.string()).optional(),
  })
  .openapi('Configuration')

/** An entry of the list of versions (docs/reference/storage-api.md#versions). */
export const versionEntryResource = ({ version, changed, name, description, isDeleted }: VersionEntry) => ({
  version,
  ...changeResource({ ...changed, description: changed.listed ?? changed.description }),
  isDeleted,
  name,
  description,
})

const versionEntryBody = changeBody
  .extend({
    version: z.int(),
    isDeleted: z.boolean(),
    name: z.string(),
    description: z.string(),
    configuration: anyObject.optional(),
  })
  .openapi('ConfigurationVersionEntry')

const versionedContent = (content: Content) => ({
  configuration: parseExactly(content.configuration),
  rowsSortOrder: content.rowsSortOrder,
  isDisabled: content.isDisabled,
  rows: rowsInOrder(content).map(rowVersionResource),
})

/** One version with its content. States belong to no version. */
export const versionResource = ({ version, changed, content }: Version) => ({
  version,
  ...changeResource(changed),
  isDeleted: content.isDeleted,
  name: content.name,
  description: content.description,
  ...versionedContent(content),
})

export const versionBody = versionEntryBody
  .extend({
    configuration: anyObject,
    rowsSortOrder: z.array(z.string()),
    isDisabled: z.boolean(),
    rows: z.array(rowVersionBody),
  })
  .openapi('ConfigurationVersion')

/** The version as an entity tag: `"7"`. */
const tagOf = ({ current }: Configuration): string => `"${current.version}"`

/** The reply with the configuration's version as its `ETag`, for `If-Match` of the next change. */
export const withVersionTag = (reply: Response, configuration: Configuration): Response => {
  reply.headers.set('etag', tagOf(configuration))
  return reply
}

/**
 * RFC 9110, 13.1.1: the version must be one of those named. `*` is any version.
 * Error: 412 `storage.components.configurations.versionChanged`.
 */
export const checkIfMatch = (headers: Headers, configuration: Configuration): void => {
  const named = headers
    .get('if-match')
    ?.split(',')
    .map(tag => tag.trim())
  if (!named || named.includes('*')) return
  const { version } = configuration.current
  // A bare number is no entity tag, but people write it.
  if (named.includes(tagOf(configuration)) || named.includes(String(version))) return
  throw new UserError(
    'storage.components.configurations.versionChanged',
    `The configuration ${configuration.id} is at version ${version} now. Read it again before you change it.`,
    { params: { version } },
  )
}
