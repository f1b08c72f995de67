import * as z from 'zod/mini'
import { fileBody } from '../../functions/lib/wire/file-body.ts'
import { readsAll } from '../../functions/lib/wire/reads.ts'
import { segment, wholeNumber } from '../connect/options.ts'
import { serviceOptions } from '../connect/storage-options.ts'
import { argument, type Command, option } from '../shell/command.ts'
import { formatTime } from '../shell/format-values.ts'
import { formatBytes } from '../shell/progress.ts'
import { onService, type ServiceCall } from './on-service.ts'

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

interface Flags {
  limit: string
  query?: string
}

const id = argument('<file>', 'id of a file')

export const files: Command = {
  description: 'list files; millrace download brings one here',
  options: [
    option('--limit <number>', 'at most so many', '20'),
    option('-q, --query <text>', 'only those, such as tags:export or a part of the name'),
    ...serviceOptions,
  ],
  run: onService<Flags>(call => list(call)),
  commands: {
    show: {
      description: 'show one file',
      args: [id],
      run: onService(async ({ api, out }, fileId) => {
        const found = await api.get(`files/${segment(fileId)}`, file)
        out.show(found, () =>
          out.fields({
            file: String(found.id),
            name: found.name,
            created: formatTime(found.created),
            size: found.isSliced ? 'sliced' : formatBytes(found.sizeBytes ?? 0),
            tags: found.tags.join(', '),
            'kept for': found.maxAgeDays == null ? 'good' : `${found.maxAgeDays} days`,
            run: found.runId,
          }),
        )
        return undefined
      }),
    },
    delete: {
      description: 'delete a file',
      args: [id],
      run: onService(async ({ api, out }, fileId) => {
        await api.send('DELETE', `files/${segment(fileId)}`, z.unknown())
        out.show({ deleted: fileId }, () => out.line(`file ${fileId}: deleted`))
        return undefined
      }),
    },
  },
}

const list = async ({ api, out, flags: { limit, query } }: ServiceCall<Flags>): Promise<undefined> => {
  const found = await api.get('files', z.array(file), { limit: wholeNumber(limit), q: query })
  out.show(found, () =>
    out.table(
      ['FILE', 'NAME', 'SIZE', 'TAGS', 'CREATED'],
      found.map(({ id, name, isSliced, sizeBytes, tags, created }) => [
        String(id),
        name,
        isSliced ? 'sliced' : formatBytes(sizeBytes ?? 0),
        tags.join(', '),
        formatTime(created),
      ]),
    ),
  )
  return undefined
}
