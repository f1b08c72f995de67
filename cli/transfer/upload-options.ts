import { serviceOptions } from '../connect/service-command.ts'
import { commaOption, type FlagsOf, flag, listOption, option } from '../shell/command.ts'

export const uploadOptions = {
  name: option('<name>', 'its name in the service (default: its own)'),
  tag: listOption('<tag>', 'a tag of the file'),
  table: option('<id>', 'load it into this table, made with its bucket when missing (in.c-main.orders)'),
  primaryKey: commaOption(
    '<columns>',
    'of the table, with commas between; a table with another key is not loaded with --incremental',
  ),
  incremental: flag('add the rows to those of the table'),
  columns: commaOption('<names>', 'with commas between; then the file has no header'),
  delimiter: option('<character>', 'between cells (default: , and a tab in .tsv and .txt)'),
  enclosure: option('<character>', 'around cells (default: ")'),
  types: option('<types>', 'of a new table: text (default), or detect, which looks at all values', {
    choices: ['text', 'detect'],
  }),
  sliced: flag('upload CSV for a table in slices (default: from 256 MiB on)'),
  ...serviceOptions,
}
export type UploadFlags = FlagsOf<typeof uploadOptions>
