import * as z from 'zod/mini'
import { path, things } from '../connect/api.ts'
import { belowService, serviceCommand, serviceOptions } from '../connect/service-command.ts'
import { commaOption, flag, number, option } from '../shell/command.ts'
import { bytesAt, timeAt } from '../shell/format-values.ts'
import { args, changeCommands } from './change-tables.ts'
import { snapshotCommands } from './snapshots.ts'
import { createCommand, settingsCommand } from './table-settings.ts'

const preview = z.object({
  columns: z.array(z.string()),
  rows: z.array(z.array(z.looseObject({ value: z.nullable(z.string()) }))),
})

export const tables = serviceCommand({
  description: 'list tables',
  options: serviceOptions,
  run: async ({ api, out }) =>
    out.list(
      await api.get('tables', things, { include: 'metadata' }),
      {
        TABLE: 'id',
        ROWS: 'rowsCount',
        SIZE: bytesAt('dataSizeBytes'),
        'LAST IMPORT': timeAt('lastImportDate'),
        'PRIMARY KEY': 'primaryKey',
      },
      'No tables yet: drop a file, or millrace upload FILE --table in.c-main.orders',
    ),
  commands: {
    preview: serviceCommand({
      description: 'show the first rows of a table',
      args,
      options: {
        limit: number('<number>', 'at most so many rows, 1000 at once', 20),
        columns: commaOption('<names>', 'only these, with commas between'),
      },
      run: async ({ api, out, flags: { limit, columns = [] } }, tableId) => {
        const named = Object.fromEntries(columns.map((name, index) => [`columns[${index}]`, name]))
        const query = { format: 'json', limit, ...named }
        const shown = await api.get(path`tables/${tableId}/data-preview`, preview, query)
        const rows = shown.rows.map(row => row.map(({ value }) => value))
        out.show({ columns: shown.columns, rows }, () => out.table(shown.columns, rows))
      },
    }),
    export: belowService({
      description: 'write a table to one object of a bucket; millrace download brings it here',
      args,
      options: {
        to: option('<address>', 'where to, such as s3://bucket/orders.csv; .gz compresses'),
        noHeader: flag('without the line of column names'),
      },
      run: async (call, tableId) => {
        const { exportToBucket } = await import('./export-to-bucket.ts')
        return exportToBucket(tableId, call)
      },
    }),
    ...snapshotCommands,
    ...changeCommands,
    create: createCommand,
    settings: settingsCommand,
  },
})
