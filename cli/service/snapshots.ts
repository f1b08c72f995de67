import { UserError } from '../../functions/lib/errors/errors.ts'
import { plural } from '../../functions/lib/plural.ts'
import { path, thing, things } from '../connect/api.ts'
import { type ServiceCall, serviceCommand } from '../connect/service-command.ts'
import { confirm, WAY_BACK, yesOption } from '../shell/ask.ts'
import { type Command, type FlagsOf, flag, option } from '../shell/command.ts'
import { fieldAt, idAt, timeAt } from '../shell/format-values.ts'
import { doJob } from './do-job.ts'

const args = { '<table>': 'id of a table' }
const restoreOptions = { inPlace: flag('replace the rows of its own table'), yes: yesOption }

export const snapshotCommands: Readonly<Record<string, Command>> = {
  snapshots: serviceCommand({
    description: 'list the snapshots of a table',
    args,
    run: async ({ api, out }, tableId) =>
      out.list(await api.get(path`tables/${tableId}/snapshots`, things, { limit: 1000 }), {
        SNAPSHOT: idAt('id'),
        MADE: timeAt('createdTime'),
        ROWS: 'rowsCount',
        DESCRIPTION: 'description',
      }),
  }),
  snapshot: serviceCommand({
    description: 'keep a table as it is now',
    args,
    options: { description: option('<text>', 'what it is for', { byDefault: '' }) },
    run: (call, tableId) =>
      doJob(call, 'POST', path`tables/${tableId}/snapshots`, { description: call.flags.description }),
  }),
  restore: serviceCommand({
    description: 'make a new table of a snapshot, or give its table the rows back',
    args: {
      '<snapshot>': 'id of a snapshot',
      '[table]': 'id of the new table, such as in.c-main.orders_before',
    },
    options: restoreOptions,
    run: async (call, snapshotId, table?: string) => {
      if (call.flags.inPlace) return restoreInPlace(call, snapshotId, table)
      if (table === undefined)
        throw new UserError(
          'cli.usage',
          'Name a new table, or give --in-place for the table of the snapshot.',
        )
      const [, bucket, name] = /^(.+)\.([^.]+)$/.exec(table) ?? []
      if (bucket === undefined)
        throw new UserError('cli.usage', `"${table}" is no id of a table, such as in.c-main.orders_before.`)
      return doJob(call, 'POST', path`buckets/${bucket}/tables-async`, { name, snapshotId })
    },
  }),
}

const restoreInPlace = async (
  call: ServiceCall<FlagsOf<typeof restoreOptions>>,
  snapshotId: string,
  table?: string,
) => {
  if (table !== undefined) throw new UserError('cli.usage', 'Name a new table or give --in-place, not both.')
  const found = await call.api.get(path`snapshots/${snapshotId}`, thing)
  const tableId = String(fieldAt(found, 'table.id'))
  const rows = plural(Number(found['rowsCount']), 'row')
  await confirm(`All rows of ${tableId} are replaced by ${rows} of the snapshot. ${WAY_BACK}`, tableId, call)
  return doJob(call, 'POST', path`tables/${tableId}/snapshots/${snapshotId}/restore`)
}
