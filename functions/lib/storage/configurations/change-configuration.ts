import { UserError } from '../../errors/errors.ts'
import {
  type Author,
  type Change,
  type Configuration,
  type Content,
  distinctAuthors,
  emptyObject,
  type Memory,
  rowMemory,
  type Version,
} from './configuration.ts'

/** The configuration with the memory of one row replaced. */
export const rememberRow = (
  configuration: Configuration,
  remembered: Memory['rows'][number],
): Configuration => ({
  ...configuration,
  rows: [...configuration.rows.filter(({ id }) => id !== remembered.id), remembered],
})

/** The configuration with its next version: the current content with these parts replaced. */
export const nextVersion = (
  configuration: Configuration,
  parts: Partial<Content>,
  changed: Change,
): Configuration => ({
  ...configuration,
  current: {
    version: configuration.current.version + 1,
    changed,
    content: { ...configuration.current.content, ...parts },
  },
})

/** What a caller can set. JSON objects are given as the text to store. */
export interface ConfigurationSettings {
  name?: string | undefined
  description?: string | undefined
  configuration?: string | undefined
  /** Of the configuration, when it is given. Default: who makes the change. */
  authors?: readonly Author[] | undefined
  isDisabled?: boolean | undefined
  rowsSortOrder?: string[] | undefined
  state?: string | undefined
}

/** Version 1. */
export const newConfiguration = (
  id: string,
  internalId: string,
  settings: ConfigurationSettings,
  changed: Change,
): Configuration => ({
  id,
  internalId,
  created: changed.at,
  creatorToken: changed.token,
  state: settings.state ?? emptyObject,
  rows: [],
  adoptedSecrets: [],
  current: { version: 1, changed, content: newContent(settings, changed) },
})

const newContent = (
  { name = '', description = '', authors = [], ...settings }: ConfigurationSettings,
  { token }: Change,
): Content => ({
  name,
  description,
  configuration: settings.configuration ?? emptyObject,
  authors: distinctAuthors([token, ...authors]),
  isDisabled: settings.isDisabled ?? false,
  isDeleted: false,
  rowsSortOrder: checkSortOrder(settings.rowsSortOrder ?? [], []),
  rows: [],
})

/** Creates over a configuration in the trash: the content is new, the version numbers continue. */
export const reviveConfiguration = (
  trashed: Configuration,
  settings: ConfigurationSettings,
  changed: Change,
): Configuration => ({
  ...nextVersion(trashed, newContent(settings, changed), changed),
  created: changed.at,
  creatorToken: changed.token,
  state: settings.state ?? emptyObject,
})

/** Sets what is given. Unchanged values create no version. */
export const updateConfiguration = (
  configuration: Configuration,
  { state = configuration.state, ...settings }: ConfigurationSettings,
  changed: Change,
): Configuration => {
  const { content } = configuration.current
  const parts = {
    name: settings.name ?? content.name,
    description: settings.description ?? content.description,
    configuration: settings.configuration ?? content.configuration,
    isDisabled: settings.isDisabled ?? content.isDisabled,
    rowsSortOrder: settings.rowsSortOrder
      ? checkSortOrder(settings.rowsSortOrder, content.rows)
      : content.rowsSortOrder,
  }
  const isUsedAsBefore =
    parts.isDisabled === content.isDisabled &&
    JSON.stringify(parts.rowsSortOrder) === JSON.stringify(content.rowsSortOrder)
  const isSame =
    state === configuration.state &&
    parts.name === content.name &&
    parts.description === content.description &&
    parts.configuration === content.configuration &&
    isUsedAsBefore
  if (isSame) return configuration
  const authors = authorsAfter(content, settings, { isUsedAsBefore, changed })
  return { ...nextVersion(configuration, { ...parts, authors }, changed), state }
}

/** Whoever sends the whole text answers for it; whoever changes how it is used does so too. */
export const authorsAfter = (
  { authors }: Pick<Content, 'authors'>,
  given: Pick<ConfigurationSettings, 'configuration' | 'authors'>,
  { isUsedAsBefore, changed }: { isUsedAsBefore: boolean; changed: Change },
): Author[] => {
  const ofText = given.configuration === undefined ? authors : (given.authors ?? [changed.token])
  return isUsedAsBefore ? [...ofText] : distinctAuthors([...ofText, changed.token])
}

/** The same content as the next version, for whose text, if it was sent, the caller answers now. */
export const takeConfiguration = (
  configuration: Configuration,
  settings: ConfigurationSettings,
  changed: Change,
): Configuration => {
  const authors = authorsAfter(configuration.current.content, settings, { isUsedAsBefore: true, changed })
  return nextVersion(configuration, { authors }, changed)
}

/** A state that is set by itself creates no version: components save it after each run. */
export const setState = (configuration: Configuration, state: string): Configuration =>
  state === configuration.state ? configuration : { ...configuration, state }

export const trashConfiguration = (configuration: Configuration, changed: Change): Configuration =>
  nextVersion(configuration, { isDeleted: true }, changed)

export const restoreConfiguration = (trashed: Configuration, changed: Change): Configuration =>
  nextVersion(trashed, { isDeleted: false }, changed)

/**
 * Creates a version with the content of an old one. Rows are restored or removed, each as a new version of itself.
 * States do not change.
 */
export const rollbackConfiguration = (
  configuration: Configuration,
  target: Version,
  changed: Change,
): Configuration => {
  const rows = target.content.rows.map(row => {
    const description = `Rollback to version ${row.version} (via configuration rollback to version ${target.version})`
    return {
      ...row,
      version: rowMemory(configuration, row.id).version + 1,
      configurationVersion: configuration.current.version + 1,
      changed: { ...changed, description },
    }
  })
  const remembered = rows.reduce(
    (head, { id, version }) => rememberRow(head, { ...rowMemory(head, id), version }),
    configuration,
  )
  return nextVersion(remembered, { ...target.content, isDeleted: false, rows }, changed)
}

/** An independent configuration with the content of a version. It starts without a state; its rows keep theirs. */
export const copyConfiguration = (
  source: Configuration,
  target: Version,
  named: Pick<Configuration, 'id' | 'internalId'> & { name: string; description?: string | undefined },
  changed: Change,
): Configuration => {
  // Of rows always this text, whatever the caller says of the configuration.
  const description = `Copied from configuration "${target.content.name}" (${source.id}) version ${target.version}`
  const ofRows = { ...changed, description }
  const rows = target.content.rows.map(row => ({
    ...row,
    version: 1,
    configurationVersion: 1,
    created: changed.at,
    creatorToken: changed.token,
    changed: ofRows,
  }))
  const content = {
    ...target.content,
    name: named.name,
    description: named.description ?? target.content.description,
    isDeleted: false,
    rows,
  }
  return {
    ...newConfiguration(named.id, named.internalId, {}, changed),
    rows: rows.map(row => ({ ...rowMemory(source, row.id), version: 1 })),
    current: { version: 1, changed, content },
  }
}

/**
 * An order must name each row once. An empty one means "by id".
 * Errors, both 400: `storage.components.validation` (an id without a row), `validation.invalidRowSortOrder`.
 */
const checkSortOrder = (order: string[], rows: readonly { id: string }[]): string[] => {
  if (order.length === 0) return order
  const ids = new Set(rows.map(({ id }) => id))
  const unknown = order.find(id => !ids.has(id))
  if (unknown !== undefined)
    throw new UserError(
      'storage.components.validation',
      `Invalid parameters - rowsSortOrder: There is no row "${unknown.slice(0, 100)}".`,
    )
  if (order.length !== rows.length || new Set(order).size !== rows.length)
    throw new UserError(
      'validation.invalidRowSortOrder',
      'rowsSortOrder must name each row of the configuration once.',
    )
  return order
}
