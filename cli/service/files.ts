import * as z from 'zod/mini'
import { fileBody } from '../../functions/lib/wire/file-body.ts'
import { readsAll } from '../../functions/lib/wire/reads.ts'
import { path } from '../connect/api.ts'
import { serviceCommand, serviceOptions } from '../connect/service-command.ts'
import { number, option } from '../shell/command.ts'
import { formatBytes, formatTime } from '../shell/format-values.ts'

const file = readsAll(fileBody, {
  id: true,
  name: true,
  created: false,
  sizeBytes: false,
  isSliced: true,
  tags: true,
  maxAgeDays: false,
  runId: false,
})

const args = { '<file>': 'id of a file' }

export const files = serviceCommand({
  description: 'list files; millrace download brings one here',
  options: {
    limit: number('<number>', 'at most so many', 20),
    query: option('<text>', 'only those, such as tags:export or a part of the name', { short: 'q' }),
    ...serviceOptions,
  },
  run: async ({ api, out, flags: { limit, query } }) => {
    out.list(await api.get('files', z.array(file), { limit, q: query }), {
      FILE: each => String(each.id),
      NAME: each => each.name,
      SIZE: sizeOf,
      TAGS: each => each.tags.join(', '),
      CREATED: each => formatTime(each.created),
    })
  },
  commands: {
    show: serviceCommand({
      description: 'show one file',
      args,
      run: async ({ api, out }, id) => {
        const found = await api.get(path`files/${id}`, file)
        out.show(found, () =>
          out.fields({
            file: String(found.id),
            name: found.name,
            created: formatTime(found.created),
            size: sizeOf(found),
            tags: found.tags.join(', '),
            'kept for': found.maxAgeDays == null ? 'good' : `${found.maxAgeDays} days`,
            run: found.runId,
          }),
        )
      },
    }),
    delete: serviceCommand({
      description: 'delete a file',
      args,
      run: async ({ api, out }, id) => {
        await api.delete(path`files/${id}`)
        out.show({ deleted: id }, `file ${id}: deleted`)
      },
    }),
  },
})

const sizeOf = ({ isSliced, sizeBytes }: z.infer<typeof file>): string =>
  isSliced ? 'sliced' : formatBytes(sizeBytes ?? 0)
