import { UserError } from '../../errors/errors.ts'
import { authorsAfter, type ConfigurationSettings, nextVersion, rememberRow } from './change-configuration.ts'
import {
  type Change,
  type Configuration,
  distinctAuthors,
  emptyObject,
  type Row,
  rowMemory,
} from './configuration.ts'

/** What a caller can set of a row. */
type RowSettings = Omit<ConfigurationSettings, 'rowsSortOrder'>

/** The row, or 404 `notFound`. */
export const findRow = ({ current }: Configuration, rowId: string): Row => {
  const row = current.content.rows.find(({ id }) => id === rowId)
  if (!row) throw new UserError('notFound', `Row ${rowId.slice(0, 100)} not found`)
  return row
}

/** A row with the id of a deleted one continues its version numbers. Error: 400 `configurationRowAlreadyExists`. */
export const addRow = (
  configuration: Configuration,
  rowId: string,
  { name = '', description = '', authors = [], ...settings }: RowSettings,
  changed: Change,
): Configuration => {
  const { rows, rowsSortOrder } = configuration.current.content
  if (rows.some(({ id }) => id === rowId))
    throw new UserError('configurationRowAlreadyExists', `Row ${rowId.slice(0, 100)} already exists`)
  const version = rowMemory(configuration, rowId).version + 1
  const row: Row = {
    id: rowId,
    name,
    description,
    configuration: settings.configuration ?? emptyObject,
    authors: distinctAuthors([changed.token, ...authors]),
    isDisabled: settings.isDisabled ?? false,
    version,
    configurationVersion: configuration.current.version + 1,
    created: changed.at,
    creatorToken: changed.token,
    changed,
  }
  const parts = {
    rows: [...rows, row],
    rowsSortOrder: rowsSortOrder.length === 0 ? [] : [...rowsSortOrder, rowId],
  }
  const state = settings.state ?? emptyObject
  return nextVersion(rememberRow(configuration, { id: rowId, version, state }), parts, changed)
}

/** Sets what is given. Unchanged values create no version. Error: 404 `notFound`. */
export const updateRow = (
  configuration: Configuration,
  rowId: string,
  settings: RowSettings,
  changed: Change,
): Configuration => {
  const row = findRow(configuration, rowId)
  const remembered = rowMemory(configuration, rowId)
  const next = {
    ...row,
    name: settings.name ?? row.name,
    description: settings.description ?? row.description,
    configuration: settings.configuration ?? row.configuration,
    isDisabled: settings.isDisabled ?? row.isDisabled,
  }
  const state = settings.state ?? remembered.state
  const isSame = JSON.stringify(next) === JSON.stringify(row) && state === remembered.state
  if (isSame) return configuration
  const isUsedAsBefore = next.isDisabled === row.isDisabled
  const authors = authorsAfter(row, settings, { isUsedAsBefore, changed })
  return replaceRow(configuration, { ...next, authors }, state, changed)
}

/** The same row as its next version, for whose text, if it was sent, the caller answers now. */
export const takeRow = (
  configuration: Configuration,
  rowId: string,
  settings: RowSettings,
  changed: Change,
): Configuration => {
  const row = findRow(configuration, rowId)
  const authors = authorsAfter(row, settings, { isUsedAsBefore: true, changed })
  return replaceRow(configuration, { ...row, authors }, rowMemory(configuration, rowId).state, changed)
}

/** This content as the row's next version. `version` and `changed` of what is given are ignored. */
export const replaceRow = (
  configuration: Configuration,
  row: Row,
  state: string,
  changed: Change,
): Configuration => {
  const version = rowMemory(configuration, row.id).version + 1
  const next = { ...row, version, configurationVersion: configuration.current.version + 1, changed }
  const rows = configuration.current.content.rows.map(other => (other.id === row.id ? next : other))
  return nextVersion(rememberRow(configuration, { id: row.id, version, state }), { rows }, changed)
}

/** Its number and state are kept, for a rollback that restores it. Error: 404 `notFound`. */
export const deleteRow = (configuration: Configuration, rowId: string, changed: Change): Configuration => {
  findRow(configuration, rowId)
  const { rows, rowsSortOrder, authors } = configuration.current.content
  const parts = {
    authors: distinctAuthors([...authors, changed.token]),
    rows: rows.filter(({ id }) => id !== rowId),
    rowsSortOrder: rowsSortOrder.filter(id => id !== rowId),
  }
  return nextVersion(configuration, parts, changed)
}

/** Creates no version. Error: 404 `notFound`. */
export const setRowState = (configuration: Configuration, rowId: string, state: string): Configuration => {
  findRow(configuration, rowId)
  const remembered = rowMemory(configuration, rowId)
  return remembered.state === state ? configuration : rememberRow(configuration, { ...remembered, state })
}
