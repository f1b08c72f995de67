import * as z from 'zod/mini'
import { UserError } from '../../functions/lib/errors/errors.ts'
import { plural } from '../../functions/lib/plural.ts'
import { readsAll } from '../../functions/lib/wire/reads.ts'
import { bucketBody, bucketDetailBody } from '../../functions/lib/wire/table-body.ts'
import { segment } from '../connect/options.ts'
import { serviceOptions } from '../connect/storage-options.ts'
import { argument, type Command, option } from '../shell/command.ts'
import { confirm, NO_WAY_BACK, yesOption } from '../shell/confirm.ts'
import { formatTime } from '../shell/format-values.ts'
import { formatBytes } from '../shell/progress.ts'
import { onService } from './on-service.ts'

const bucket = readsAll(bucketBody, {
  id: true,
  displayName: true,
  description: false,
  lastChangeDate: false,
  rowsCount: false,
  dataSizeBytes: false,
})
const detail = readsAll(bucketDetailBody, { id: true, tables: z.array(z.looseObject({ id: z.string() })) })

export const buckets: Command = {
  description: 'list buckets, which hold tables',
  options: serviceOptions,
  run: onService(async ({ api, out }) => {
    const found = await api.get('buckets', z.array(bucket))
    out.show(found, () => {
      if (found.length === 0)
        return out.line('No buckets yet: the first table makes one, or millrace buckets create main')
      out.table(
        ['BUCKET', 'NAME', 'ROWS', 'SIZE', 'CHANGED', 'DESCRIPTION'],
        found.map(each => [
          each.id,
          each.displayName,
          each.rowsCount,
          formatBytes(each.dataSizeBytes ?? 0),
          formatTime(each.lastChangeDate),
          each.description,
        ]),
      )
    })
    return undefined
  }),
  commands: {
    create: {
      description: 'make a bucket',
      args: [argument('<name>', 'main, for in.c-main')],
      options: [
        option('--stage <stage>', 'before its name').choices(bucketBody.shape.stage.options).default('in'),
        option('--description <text>', 'what it is for'),
      ],
      run: onService<{ stage: string; description?: string }>(async ({ api, out, flags }, name) => {
        const { stage, description } = flags
        const made = await api.send('POST', 'buckets', bucket, { name, stage, description })
        out.show(made, () => out.line(`${made.id}: made`))
        return undefined
      }),
    },
    delete: {
      description: 'delete a bucket',
      args: [argument('<bucket>', 'id of a bucket, such as in.c-main')],
      options: [option('--force', 'its tables too'), yesOption],
      run: onService<{ force?: boolean; yes?: boolean }>(async (call, id) => {
        const { api, out, flags } = call
        const { tables } = await api.get(`buckets/${segment(id)}`, detail)
        const held = plural(tables.length, 'table')
        if (tables.length > 0 && !flags.force)
          throw new UserError('cli.usage', `${id} has ${held}: --force deletes the bucket with all of them.`)
        await confirm(`${id} is deleted with ${held}. ${NO_WAY_BACK}`, id, call)
        await api.send('DELETE', `buckets/${segment(id)}?force=${flags.force ? 1 : 0}`, z.unknown())
        out.show({ deleted: id }, () => out.line(`${id}: deleted`))
        return undefined
      }),
    },
  },
}
