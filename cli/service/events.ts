import * as z from 'zod/mini'
import { eventBody } from '../../functions/lib/wire/event-body.ts'
import { readsAll } from '../../functions/lib/wire/reads.ts'
import { path } from '../connect/api.ts'
import { serviceCommand, serviceOptions } from '../connect/service-command.ts'
import { flag, number, option } from '../shell/command.ts'
import { formatTime } from '../shell/format-values.ts'
import { printable } from '../shell/printable.ts'
import { follow } from './follow.ts'

const event = readsAll(eventBody, {
  id: z.coerce.string(),
  created: true,
  type: z.string(),
  component: false,
  event: false,
  message: true,
  description: false,
})

export const events = serviceCommand({
  description: 'list events: changes, runs and what went wrong',
  options: {
    follow: flag('go on with new events until interrupted', 'f'),
    limit: number('<number>', 'at most so many', 20),
    query: option('<query>', 'only those that match, such as event:storage.tableImportDone', { short: 'q' }),
    component: option('<id>', 'only those of this component'),
    table: option('<id>', 'only those of this table'),
    ...serviceOptions,
  },
  run: async call => {
    const { limit, query, component, table } = call.flags
    const place = table === undefined ? 'events' : path`tables/${table}/events`
    const read = () => call.api.get(place, z.array(event), { limit, q: query, component })
    if (call.flags.follow)
      return follow(read, each => ({ id: each.id, status: each.type, line: lineOf(each) }), call)
    call.out.list(await read(), {
      TIME: each => formatTime(each.created),
      TYPE: each => each.type,
      COMPONENT: each => each.component,
      MESSAGE: each => each.message,
      REASON: each => each.description,
    })
    return undefined
  },
})

const lineOf = ({ created, type, component, message, description }: z.infer<typeof event>): string =>
  printable([formatTime(created), type.padEnd(7), component, message, description].filter(Boolean).join('  '))
