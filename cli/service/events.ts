import type { Command } from 'commander'
import { z } from 'zod'
import { formatTime } from '../output/format-values.ts'
import { styleOf } from '../output/output.ts'
import { printable } from '../output/printable.ts'
import { addServiceOptions, type ServiceFlags } from '../storage-options.ts'
import { follow } from './follow.ts'
import { segment, wholeNumber } from './options.ts'
import { runOnService } from './run-on-service.ts'

const event = z.looseObject({
  id: z.coerce.string(),
  created: z.string(),
  type: z.string(),
  component: z.string().nullish(),
  event: z.string().nullish(),
  message: z.string(),
  description: z.string().nullish(),
})

interface Flags extends ServiceFlags {
  follow?: boolean
  limit: string
  query?: string
  component?: string
  table?: string
}

export const registerEvents = (program: Command): void => {
  addServiceOptions(program.command('events'))
    .description('list events: changes, runs and what went wrong')
    .option('-f, --follow', 'go on with new events until interrupted')
    .option('--limit <number>', 'at most so many', '20')
    .option('-q, --query <query>', 'only those that match, such as event:storage.tableImportDone')
    .option('--component <id>', 'only those of this component')
    .option('--table <id>', 'only those of this table')
    .action((flags: Flags) =>
      runOnService(flags, async ({ api, out }) => {
        const path = flags.table === undefined ? 'events' : `tables/${segment(flags.table)}/events`
        const query = { limit: wholeNumber(flags.limit), q: flags.query, component: flags.component }
        const read = () => api.get(path, z.array(event), query)
        const lineOf = ({ created, type, component, message, description }: z.infer<typeof event>) =>
          printable(
            [formatTime(created), type.padEnd(7), component, message, description].filter(Boolean).join('  '),
          )
        if (flags.follow)
          return follow(read, {
            idOf: ({ id }) => id,
            markOf: () => '',
            show: each =>
              out.isJson ? out.line(JSON.stringify(each)) : out.line(lineOf(each), styleOf(each.type)),
          })
        const events = await read()
        out.show(events, () =>
          out.table(
            ['TIME', 'TYPE', 'COMPONENT', 'MESSAGE', 'REASON'],
            events.map(each => [
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
    )
}
