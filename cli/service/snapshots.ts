import * as z from 'zod/mini'
import { UserError } from '../../functions/lib/errors/errors.ts'
import { plural } from '../../functions/lib/plural.ts'
import { readsAll } from '../../functions/lib/wire/reads.ts'
import { snapshotBody } from '../../functions/lib/wire/snapshot-body.ts'
import { segment } from '../connect/options.ts'
import { argument, type Command, option } from '../shell/command.ts'
import { confirm, WAY_BACK, yesOption } from '../shell/confirm.ts'
import { formatTime } from '../shell/format-values.ts'
import { doJob } from './do-job.ts'
import { onService, type ServiceCall } from './on-service.ts'

const snapshot = readsAll(snapshotBody, { id: true, createdTime: true, description: false, rowsCount: false })

const snapshotInPlace = readsAll(snapshotBody, {
  table: readsAll(snapshotBody.shape.table, { id: true }),
  rowsCount: true,
})

interface RestoreFlags {
  inPlace?: boolean
  yes?: boolean
}

const id = argument('<table>', 'id of a table')

export const snapshotCommands: Readonly<Record<string, Command>> = {
  snapshots: {
    description: 'list the snapshots of a table',
    args: [id],
    run: onService(async ({ api, out }, tableId) => {
      const found = await api.get(`tables/${segment(tableId)}/snapshots`, z.array(snapshot), { limit: 1000 })
      out.show(found, () =>
        out.table(
          ['SNAPSHOT', 'MADE', 'ROWS', 'DESCRIPTION'],
          found.map(each => [each.id, formatTime(each.createdTime), each.rowsCount, each.description]),
        ),
      )
      return undefined
    }),
  },
  snapshot: {
    description: 'keep a table as it is now',
    args: [id],
    options: [option('--description <text>', 'what it is for', '')],
    run: onService<{ description: string }>((call, tableId) =>
      doJob(call, 'POST', `tables/${segment(tableId)}/snapshots`, { description: call.flags.description }),
    ),
  },
  restore: {
    description: 'make a new table of a snapshot, or give its table the rows back',
    args: [
      argument('<snapshot>', 'id of a snapshot'),
      argument('[table]', 'id of the new table, such as in.c-main.orders_before'),
    ],
    options: [option('--in-place', 'replace the rows of its own table'), yesOption],
    run: onService<RestoreFlags>(async (call, snapshotId, table?: string) => {
      if (call.flags.inPlace) return restoreInPlace(call, snapshotId, table)
      if (table === undefined)
        throw new UserError(
          'cli.usage',
          'Name a new table, or give --in-place for the table of the snapshot.',
        )
      const [, bucket, name] = /^(.+)\.([^.]+)$/.exec(table ?? '') ?? []
      if (bucket === undefined)
        throw new UserError('cli.usage', `"${table}" is no id of a table, such as in.c-main.orders_before.`)
      return doJob(call, 'POST', `buckets/${segment(bucket)}/tables-async`, { name, snapshotId })
    }),
  },
}

const restoreInPlace = async (call: ServiceCall<RestoreFlags>, snapshotId: string, table?: string) => {
  if (table !== undefined) throw new UserError('cli.usage', 'Name a new table or give --in-place, not both.')
  const path = `snapshots/${segment(snapshotId)}`
  const { table: of, rowsCount } = await call.api.get(path, snapshotInPlace)
  await confirm(
    `All rows of ${of.id} are replaced by ${plural(rowsCount, 'row')} of the snapshot. ${WAY_BACK}`,
    of.id,
    call,
  )
  return doJob(call, 'POST', `tables/${segment(of.id)}/${path}/restore`)
}
