import type { Command } from 'commander'
import { z } from 'zod'
import { formatTime } from '../output/format-values.ts'
import { addServiceOptions, type ServiceFlags } from '../storage-options.ts'
import { formatBytes } from '../transfer/progress.ts'
import { commaList, segment, wholeNumber } from './options.ts'
import { profileOf, showProfile } from './profile.ts'
import { flagsOf, runOnService } from './run-on-service.ts'

const table = z.looseObject({
  id: z.string(),
  primaryKey: z.array(z.string()).default([]),
  rowsCount: z.number().nullish(),
  dataSizeBytes: z.number().nullish(),
  lastImportDate: z.string().nullish(),
})
const preview = z.object({
  columns: z.array(z.string()),
  rows: z.array(z.array(z.looseObject({ value: z.string().nullable() }))),
})

interface PreviewFlags extends ServiceFlags {
  limit: string
  columns?: string
}

interface ExportFlags extends ServiceFlags {
  output?: string
  gzip?: boolean
  header: boolean
}

export const registerTables = (program: Command): void => {
  const tables = addServiceOptions(program.command('tables'))
    .description('list tables')
    .action((flags: ServiceFlags) =>
      runOnService(flags, async ({ api, out }) => {
        const found = await api.get('tables', z.array(table), { include: 'metadata' })
        out.show(found, () => {
          if (found.length === 0)
            return out.line('No tables yet: drop a file, or millrace upload FILE --table in.c-main.orders')
          out.table(
            ['TABLE', 'ROWS', 'SIZE', 'LAST IMPORT', 'PRIMARY KEY'],
            found.map(each => [
              each.id,
              each.rowsCount,
              formatBytes(each.dataSizeBytes ?? 0),
              formatTime(each.lastImportDate),
              each.primaryKey.join(', '),
            ]),
          )
        })
        return undefined
      }),
    )
  tables
    .command('preview')
    .description('show the first rows of a table')
    .argument('<table>', 'id of a table, such as in.c-main.orders')
    .option('--limit <number>', 'at most so many rows, 1000 at once', '20')
    .option('--columns <names>', 'only these, with commas between')
    .action((id: string, _flags: object, command: Command) => {
      const flags = flagsOf<PreviewFlags>(command)
      return runOnService(flags, async ({ api, out }) => {
        const columns = commaList(flags.columns ?? '')
        const query = {
          format: 'json',
          limit: wholeNumber(flags.limit),
          ...Object.fromEntries(columns.map((name, index) => [`columns[${index}]`, name])),
        }
        const shown = await api.get(`tables/${segment(id)}/data-preview`, preview, query)
        const rows = shown.rows.map(row => row.map(({ value }) => value))
        out.show({ columns: shown.columns, rows }, () => out.table(shown.columns, rows))
        return undefined
      })
    })
  tables
    .command('profile')
    .description(
      'show what is in each column: distinct and empty values, least, greatest and most frequent ones',
    )
    .argument('<table>')
    .action((id: string, _flags: object, command: Command) =>
      runOnService(flagsOf<ServiceFlags>(command), async ({ api, out }) => {
        const profile = await profileOf(api, id)
        out.show(profile, () => showProfile(profile, out))
        return undefined
      }),
    )
  tables
    .command('export')
    .description('write a table to a CSV file; the same as millrace download')
    .argument('<table>')
    .option('-o, --output <path>', 'where to; - for standard output (default: the name of the table)')
    .option('--gzip', 'compressed')
    .option('--no-header', 'without the line of column names')
    .action(async (id: string, _flags: object, command: Command) => {
      const { runDownload } = await import('../transfer/run-download.ts')
      process.exitCode = await runDownload(id, flagsOf<ExportFlags>(command))
    })
}
