import { UserError } from '../../lib/errors/errors.ts'
import { parseJson } from '../../lib/json/parse-json.ts'
import {
  authorsOf,
  type Change,
  type Configuration,
  type Content,
  emptyObject,
  type Row,
  rowMemory,
  rowsInOrder,
  type Version,
} from '../../lib/storage/configurations/configuration.ts'
import type { VersionEntry } from '../../lib/storage/configurations/configuration-documents.ts'
import type { ConfigurationWarning } from '../../lib/wire/configuration-body.ts'
import { wireDate } from '../../lib/wire/wire-date.ts'

/** A configuration as it was just stored, with what its author should know. */
export interface Stored extends Configuration {
  warnings?: ConfigurationWarning[]
}

/** Only when there are some: clients compare replies whole. */
export const warned = (warnings: ConfigurationWarning[] = []) => (warnings.length > 0 ? { warnings } : {})

const tokenOf = ({ id, description }: Change['token']) => ({ id: Number(id), description })

/** Who made a version, in its detail and in the list. */
const changeResource = (changed: Change) => ({
  created: wireDate(changed.at),
  creatorToken: tokenOf(changed.token),
  changeDescription: changed.description,
  versionIdentifier: changed.identifier,
})

/** A row without its state, as it is in versions. Clients compare rows whole, and theirs have no identifier. */
export const rowVersionResource = (row: Row) => {
  const { versionIdentifier: _, ...change } = changeResource(row.changed)
  return {
    id: row.id,
    name: row.name,
    description: row.description,
    configuration: parseJson(row.configuration),
    isDisabled: row.isDisabled,
    version: row.version,
    ...change,
  }
}

/** A current row (docs/reference/storage-api.md#configuration-rows). */
export const rowResource = (row: Row, configuration: Stored) => ({
  ...rowWithState(row, rowMemory(configuration, row.id).state),
  ...warned(configuration.warnings),
})

const rowWithState = (row: Row, state: string) => ({
  ...rowVersionResource(row),
  created: wireDate(row.created),
  creatorToken: tokenOf(row.creatorToken),
  state: parseJson(state),
})

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
    authors: authorsOf(configuration).map(tokenOf),
  }
}

/** A complete configuration (docs/reference/storage-api.md#configuration-resource). */
export const configurationResource = (configuration: Stored) => {
  const { content } = configuration.current
  const states = new Map(configuration.rows.map(({ id, state }) => [id, state]))
  return {
    ...configurationSummary(configuration),
    configuration: parseJson(content.configuration),
    rowsSortOrder: content.rowsSortOrder,
    rows: rowsInOrder(content).map(row => rowWithState(row, states.get(row.id) ?? emptyObject)),
    state: parseJson(configuration.state),
    ...warned(configuration.warnings),
  }
}

/** As versions name a change: a copy has other words in the configuration itself. */
const versionChange = (changed: Change) =>
  changeResource({ ...changed, description: changed.listed ?? changed.description })

/** An entry of the list of versions (docs/reference/storage-api.md#versions). */
export const versionEntryResource = ({ version, changed, name, description, isDeleted }: VersionEntry) => ({
  version,
  ...versionChange(changed),
  isDeleted,
  name,
  description,
})

const versionedContent = (content: Content) => ({
  configuration: parseJson(content.configuration),
  rowsSortOrder: content.rowsSortOrder,
  isDisabled: content.isDisabled,
  rows: rowsInOrder(content).map(rowVersionResource),
})

/** One version with its content. States belong to no version. */
export const versionResource = ({ version, changed, content }: Version) => ({
  version,
  ...versionChange(changed),
  isDeleted: content.isDeleted,
  name: content.name,
  description: content.description,
  ...versionedContent(content),
})

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
