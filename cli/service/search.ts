import * as z from 'zod/mini'
import { readsAll } from '../../functions/lib/wire/reads.ts'
import { foundBody, searchBody } from '../../functions/lib/wire/search-body.ts'
import { wholeNumber } from '../connect/options.ts'
import { serviceOptions } from '../connect/storage-options.ts'
import { argument, type Command, option } from '../shell/command.ts'
import { onService } from './on-service.ts'

const found = readsAll(searchBody, {
  all: true,
  items: z.array(readsAll(foundBody, { id: true, name: true, type: z.string(), componentId: false })),
})

export const search: Command = {
  description: 'find buckets, tables, configurations and rows by name or id',
  args: [argument('<text>')],
  options: [option('--limit <number>', 'at most so many', '20'), ...serviceOptions],
  run: onService<{ limit: string }>(async ({ api, out, flags }, query) => {
    const result = await api.get('global-search', found, { query, limit: wholeNumber(flags.limit) })
    out.show(result, () =>
      out.table(
        ['KIND', 'ID', 'NAME', 'COMPONENT'],
        result.items.map(({ type, id, name, componentId }) => [type, id, name, componentId]),
      ),
    )
    return undefined
  }),
}
