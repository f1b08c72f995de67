import * as z from 'zod/mini'
import { UserError } from '../../functions/lib/errors/errors.ts'
import { plural } from '../../functions/lib/plural.ts'
import { path } from '../connect/api.ts'
import { type ServiceCall, serviceCommand } from '../connect/service-command.ts'
import { confirm, WAY_BACK, yesOption } from '../shell/ask.ts'
import { type Command, flag, listOption } from '../shell/command.ts'
import { doJob, endOfJob } from './do-job.ts'

export const args = { '<table>': 'id of a table, such as in.c-main.orders' }

export const changeCommands: Readonly<Record<string, Command>> = {
  rename: serviceCommand({
    description: 'give a table another name to show; its id stays',
    args: { ...args, '<name>': '' },
    run: (call, tableId, displayName) => doJob(call, 'PUT', path`tables/${tableId}?async=1`, { displayName }),
  }),
  truncate: serviceCommand({
    description: 'delete all rows of a table',
    args,
    options: { yes: yesOption },
    run: async (call, tableId) => {
      const { rows } = await countRows(call, tableId)
      await confirm(`This deletes the ${rows} of ${tableId}. ${WAY_BACK}`, tableId, call)
      await keepSnapshot(call, tableId, 'Before all rows were deleted')
      return doJob(call, 'DELETE', path`tables/${tableId}/rows?allowTruncate=1`)
    },
  }),
  rows: {
    description: 'rows of a table',
    commands: {
      delete: serviceCommand({
        description: 'delete the rows that match',
        args,
        options: {
          where: listOption(
            '<condition>',
            "such as 'city = Brno' or 'delay::number >= 1000' (also !=, >, <, <=)",
          ),
          yes: yesOption,
        },
        help: `All conditions must hold. ::number, ::date, ::timestamp and ::text say what the texts of a column are compared as;
a typed column needs none. Rows with another text stay.`,
        run: async (call, tableId) => {
          const where = call.flags.where ?? []
          if (where.length === 0)
            throw new UserError(
              'cli.usage',
              'Give --where, or delete all rows with millrace tables truncate.',
            )
          const { rows, stays } = await countRows(call, tableId, where)
          const what = [`This deletes ${rows} of ${tableId}.`, ...stays].join(' ')
          if (call.flags.yes) call.out.say(what)
          await confirm(`${what} ${WAY_BACK}`, tableId, call)
          await keepSnapshot(call, tableId, `Before ${rows} were deleted`)
          return doJob(call, 'DELETE', path`tables/${tableId}/rows`, { where })
        },
      }),
    },
  },
  delete: serviceCommand({
    description: 'delete a table',
    args,
    options: { force: flag('its aliases too'), yes: yesOption },
    run: async (call, tableId) => {
      const { api, flags, out } = call
      const { rows } = await countRows(call, tableId)
      const { isAlias } = await api.get(path`tables/${tableId}`, z.object({ isAlias: z.boolean() }))
      const what = isAlias
        ? `The alias ${tableId} is deleted. Its source keeps its rows.`
        : `${tableId} is deleted with ${rows}. A snapshot is kept before, and brings it back.`
      await confirm(what, tableId, call)
      if (!isAlias) await keepSnapshot(call, tableId, 'Before the table was deleted')
      await api.delete(path`tables/${tableId}?force=${flags.force ? 1 : 0}`)
      out.show({ deleted: tableId }, `${tableId}: deleted`)
    },
  }),
}

const counted = z.object({ rowsCount: z.number(), stays: z.array(z.string()) })

/** The rows that match, and sentences about those that cannot be compared. */
const countRows = async (
  { api }: Pick<ServiceCall, 'api'>,
  tableId: string,
  where: readonly string[] = [],
): Promise<{ rows: string; stays: string[] }> => {
  const conditions = Object.fromEntries(where.map((text, index) => [`where[${index}]`, text]))
  const query = { format: 'json', countRows: 1, limit: 1, ...conditions }
  const { rowsCount, stays } = await api.get(path`tables/${tableId}/data-preview`, counted, query)
  return { rows: plural(rowsCount, 'row'), stays }
}

/** So that what goes can be brought back. A token that may delete may keep one, too. */
const keepSnapshot = async (call: ServiceCall, tableId: string, description: string): Promise<void> => {
  const ended = await endOfJob(call, 'POST', path`tables/${tableId}/snapshots`, { description })
  if (ended.status !== 'success')
    throw new UserError(
      'cli.usage',
      `No snapshot could be kept, so nothing was deleted: ${ended.error?.message}`,
    )
  const { id } = z.object({ id: z.union([z.string(), z.number()]) }).parse(ended.results)
  call.out.say(`Snapshot ${id} of ${tableId} is kept: millrace tables restore ${id} brings it back.`)
}
