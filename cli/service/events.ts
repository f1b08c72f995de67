import * as z from 'zod/mini'
import { eventBody } from '../../functions/lib/wire/event-body.ts'
import { readsAll } from '../../functions/lib/wire/reads.ts'
import { segment, wholeNumber } from '../connect/options.ts'
import { serviceOptions } from '../connect/storage-options.ts'
import { type Command, option } from '../shell/command.ts'
import { formatTime } from '../shell/format-values.ts'
import { styleOf } from '../shell/output.ts'
import { printable } from '../shell/printable.ts'
import { follow } from './follow.ts'
import { onService } from './on-service.ts'

const event = readsAll(eventBody, {
  id: z.coerce.string(),
  created: true,
  type: z.string(),
  component: false,
  event: false,
  message: true,
  description: false,
})

interface Flags {
  follow?: boolean
  limit: string
  query?: string
  component?: string
  table?: string
}

export const events: Command = {
  description: 'list events: changes, runs and what went wrong',
  options: [
    option('-f, --follow', 'go on with new events until interrupted'),
    option('--limit <number>', 'at most so many', '20'),
    option('-q, --query <query>', 'only those that match, such as event:storage.tableImportDone'),
    option('--component <id>', 'only those of this component'),
    option('--table <id>', 'only those of this table'),
    ...serviceOptions,
  ],
  run: onService<Flags>(async ({ api, out, flags, shell }) => {
    const path = flags.table === undefined ? 'events' : `tables/${segment(flags.table)}/events`
    const query = { limit: wholeNumber(flags.limit), q: flags.query, component: flags.component }
    const read = () => api.get(path, z.array(event), query)
    const lineOf = ({ created, type, component, message, description }: z.infer<typeof event>) =>
      printable(
        [formatTime(created), type.padEnd(7), component, message, description].filter(Boolean).join('  '),
      )
    if (flags.follow)
      return follow(read, {
        interrupted: shell.onInterrupt(),
        idOf: ({ id }) => id,
        markOf: () => '',
        show: each =>
          out.isJson ? out.line(JSON.stringify(each)) : out.line(lineOf(each), styleOf(each.type)),
      })
    const found = await read()
    out.show(found, () =>
      out.table(
        ['TIME', 'TYPE', 'COMPONENT', 'MESSAGE', 'REASON'],
        found.map(each => [
          formatTime(each.created),
          each.type,
          each.component,
          each.message,
          each.description,
        ]),
      ),
    )
    return undefined
  }),
}
