import fc from 'fast-check'
import type { ItemTable } from '#lib/items/item-table.ts'
import {
  restoreConfiguration,
  rollbackConfiguration,
  setState,
  trashConfiguration,
  updateConfiguration,
} from '#lib/storage/configurations/change-configuration.ts'
import { addRow, deleteRow, setRowState, updateRow } from '#lib/storage/configurations/change-rows.ts'
import {
  type Change,
  type Configuration,
  rowsInOrder,
  type Version,
} from '#lib/storage/configurations/configuration.ts'
import { createConfigurationStore } from '#lib/storage/configurations/configuration-store.ts'
import { createCleanUps } from '#lib/storage/db/clean-ups.ts'
import type { DocumentFiles } from '#lib/storage/db/document-files.ts'

/** The store of a process, which shares nothing with others. */
export const configurationsOn = (items: ItemTable, documents: DocumentFiles, now = () => new Date()) =>
  createConfigurationStore(items, documents, createCleanUps(items, now))

let made = 0
export const changed = (): Change => ({
  at: '2026-07-16T10:00:00.000Z',
  token: { id: '1', description: 'test' },
  description: 'change',
  identifier: `id-${++made}`,
})

export type Step = (configuration: Configuration, versions: Version[]) => Configuration

const json = fc.jsonValue({ maxDepth: 2 }).map(value => JSON.stringify({ value }))
const rowId = fc.constantFrom('a', 'b', 'c')
const hasRow = ({ current }: Configuration, id: string) => current.content.rows.some(row => row.id === id)

/** Any change that a client can make next. */
export const step: fc.Arbitrary<Step> = fc.oneof(
  fc.tuple(fc.string(), json).map(
    ([name, configuration]): Step =>
      current =>
        updateConfiguration(current, { name, configuration }, changed()),
  ),
  json.map(
    (state): Step =>
      current =>
        setState(current, state),
  ),
  fc.tuple(rowId, json).map(
    ([id, configuration]): Step =>
      current =>
        hasRow(current, id)
          ? updateRow(current, id, { configuration }, changed())
          : addRow(current, id, { configuration }, changed()),
  ),
  rowId.map(
    (id): Step =>
      current =>
        hasRow(current, id) ? deleteRow(current, id, changed()) : current,
  ),
  fc.tuple(rowId, json).map(
    ([id, state]): Step =>
      current =>
        hasRow(current, id) ? setRowState(current, id, state) : current,
  ),
  fc.integer({ min: 0, max: 20 }).map(
    (index): Step =>
      (current, versions) => {
        const target = versions[index % versions.length]
        return target ? rollbackConfiguration(current, target, changed()) : current
      },
  ),
  fc.constant(
    (current: Configuration): Configuration =>
      updateConfiguration(
        current,
        {
          rowsSortOrder: rowsInOrder(current.current.content)
            .map(({ id }) => id)
            .toReversed(),
        },
        changed(),
      ),
  ),
  fc.constant(
    (current: Configuration): Configuration =>
      restoreConfiguration(trashConfiguration(current, changed()), changed()),
  ),
)
