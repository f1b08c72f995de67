import { findRow } from '../../lib/storage/configurations/change-rows.ts'
import type { Configuration, Row } from '../../lib/storage/configurations/configuration.ts'
import { parseId } from '../../lib/storage/db/ids.ts'
import { notFound } from '../configurations/find-configuration.ts'
import type { Services } from '../services.ts'

/** The versions of a row, newest first. Error: 404 `notFound` when the configuration has no such row. */
export async function* listRowVersions(
  { configurations }: Pick<Services, 'configurations'>,
  configuration: Configuration,
  rowId: string,
): AsyncGenerator<Row> {
  const current = findRow(configuration, rowId)
  yield current
  for await (const row of configurations.history.listRow(configuration.internalId, rowId)) {
    // A row is archived just before its next version becomes current, so it may be in both places.
    if (row.version < current.version) yield row
  }
}

/** One version of a row, or 404 `notFound`. */
export const findRowVersion = async (
  { configurations }: Pick<Services, 'configurations'>,
  configuration: Configuration,
  rowId: string,
  versionId: string,
): Promise<Row> => {
  const current = findRow(configuration, rowId)
  const number = parseId(versionId)
  if (number === current.version) return current
  const isThere = number !== undefined && number >= 1 && number < current.version
  const row = isThere
    ? await configurations.history.getRow(configuration.internalId, rowId, number)
    : undefined
  if (!row) throw notFound(`Row ${rowId.slice(0, 100)} version ${versionId.slice(0, 20)} not found`)
  return row
}
