import * as z from 'zod/mini'
import { readsAll } from '../../functions/lib/wire/reads.ts'
import { foundBody, searchBody } from '../../functions/lib/wire/search-body.ts'
import { serviceCommand, serviceOptions } from '../connect/service-command.ts'
import { number } from '../shell/command.ts'

const found = readsAll(searchBody, {
  all: true,
  items: z.array(readsAll(foundBody, { id: true, name: true, type: z.string(), componentId: false })),
})

export const search = serviceCommand({
  description: 'find buckets, tables, configurations and rows by name or id',
  args: { '<text>': '' },
  options: { limit: number('<number>', 'at most so many', 20), ...serviceOptions },
  run: async ({ api, out, flags: { limit } }, query) => {
    const result = await api.get('global-search', found, { query, limit })
    out.show(result, () =>
      out.list(result.items, {
        KIND: each => each.type,
        ID: each => each.id,
        NAME: each => each.name,
        COMPONENT: each => each.componentId,
      }),
    )
  },
})
