import * as z from 'zod/mini'
import { UserError } from '../../functions/lib/errors/errors.ts'
import { plural } from '../../functions/lib/plural.ts'
import { readsAll } from '../../functions/lib/wire/reads.ts'
import { bucketBody, bucketDetailBody } from '../../functions/lib/wire/table-body.ts'
import { path } from '../connect/api.ts'
import { serviceCommand, serviceOptions } from '../connect/service-command.ts'
import { confirm, NO_WAY_BACK, yesOption } from '../shell/ask.ts'
import { flag, option } from '../shell/command.ts'
import { formatBytes, formatTime } from '../shell/format-values.ts'

const bucket = readsAll(bucketBody, {
  id: true,
  displayName: true,
  description: false,
  lastChangeDate: false,
  rowsCount: false,
  dataSizeBytes: false,
})
const detail = readsAll(bucketDetailBody, { id: true, tables: z.array(z.looseObject({ id: z.string() })) })

export const buckets = serviceCommand({
  description: 'list buckets, which hold tables',
  options: serviceOptions,
  run: async ({ api, out }) => {
    out.list(
      await api.get('buckets', z.array(bucket)),
      {
        BUCKET: each => each.id,
        NAME: each => each.displayName,
        ROWS: each => each.rowsCount,
        SIZE: each => formatBytes(each.dataSizeBytes ?? 0),
        CHANGED: each => formatTime(each.lastChangeDate),
        DESCRIPTION: each => each.description,
      },
      'No buckets yet: the first table makes one, or millrace buckets create main',
    )
  },
  commands: {
    create: serviceCommand({
      description: 'make a bucket',
      args: { '<name>': 'main, for in.c-main' },
      options: {
        stage: option('<stage>', 'before its name', {
          choices: bucketBody.shape.stage.options,
          byDefault: 'in',
        }),
        description: option('<text>', 'what it is for'),
      },
      run: async ({ api, out, flags: { stage, description } }, name) => {
        const made = await api.send('POST', 'buckets', bucket, { name, stage, description })
        out.show(made, `${made.id}: made`)
      },
    }),
    delete: serviceCommand({
      description: 'delete a bucket',
      args: { '<bucket>': 'id of a bucket, such as in.c-main' },
      options: { force: flag('its tables too'), yes: yesOption },
      run: async (call, id) => {
        const { api, out, flags } = call
        const { tables } = await api.get(path`buckets/${id}`, detail)
        const held = plural(tables.length, 'table')
        if (tables.length > 0 && !flags.force)
          throw new UserError('cli.usage', `${id} has ${held}: --force deletes the bucket with all of them.`)
        await confirm(`${id} is deleted with ${held}. ${NO_WAY_BACK}`, id, call)
        await api.delete(path`buckets/${id}?force=${flags.force ? 1 : 0}`)
        out.show({ deleted: id }, `${id}: deleted`)
      },
    }),
  },
})
