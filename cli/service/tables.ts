import * as z from 'zod/mini'
import { readsAll } from '../../functions/lib/wire/reads.ts'
import { listedTableBody } from '../../functions/lib/wire/table-body.ts'
import { commaList, segment, wholeNumber } from '../connect/options.ts'
import { type StorageFlags, serviceOptions } from '../connect/storage-options.ts'
import { argument, type Call, type Command, option } from '../shell/command.ts'
import { formatTime } from '../shell/format-values.ts'
import { formatBytes } from '../shell/progress.ts'
import { changeCommands } from './change-tables.ts'
import { onService } from './on-service.ts'
import { snapshotCommands } from './snapshots.ts'

const table = readsAll(listedTableBody, {
  id: true,
  primaryKey: true,
  rowsCount: false,
  dataSizeBytes: false,
  lastImportDate: false,
})
const preview = z.object({
  columns: z.array(z.string()),
  rows: z.array(z.array(z.looseObject({ value: z.nullable(z.string()) }))),
})

interface PreviewFlags {
  limit: string
  columns?: string
}

interface ExportFlags extends StorageFlags {
  output?: string
  gzip?: boolean
  header: boolean
}

const id = argument('<table>', 'id of a table, such as in.c-main.orders')

export const tables: Command = {
  description: 'list tables',
  options: serviceOptions,
  run: onService(async ({ api, out }) => {
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
  }),
  commands: {
    preview: {
      description: 'show the first rows of a table',
      args: [id],
      options: [
        option('--limit <number>', 'at most so many rows, 1000 at once', '20'),
        option('--columns <names>', 'only these, with commas between'),
      ],
      run: onService<PreviewFlags>(async ({ api, out, flags }, tableId) => {
        const columns = commaList(flags.columns ?? '')
        const query = {
          format: 'json',
          limit: wholeNumber(flags.limit),
          ...Object.fromEntries(columns.map((name, index) => [`columns[${index}]`, name])),
        }
        const shown = await api.get(`tables/${segment(tableId)}/data-preview`, preview, query)
        const rows = shown.rows.map(row => row.map(({ value }) => value))
        out.show({ columns: shown.columns, rows }, () => out.table(shown.columns, rows))
      }),
    },
    ...snapshotCommands,
    ...changeCommands,
    export: {
      description: 'write a table to a file; the same as millrace download',
      args: [id],
      options: [
        option(
          '-o, --output <path>',
          'where to; .parquet, .json, .jsonl and .gz say the format; - for standard output (default: the name of the table, as CSV)',
        ),
        option('--gzip', 'compressed'),
        option('--no-header', 'without the line of column names'),
      ],
      run: async ({ flags, shell }: Call<ExportFlags>, tableId: string) => {
        const { runDownload } = await import('./run-download.ts')
        await runDownload(tableId, flags, shell)
      },
    },
  },
}
