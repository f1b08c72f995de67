import { storageOptions } from './connect/service-command.ts'
import { command, flag, option } from './shell/command.ts'

/** `millrace download`: a file, or a table exported first, to a local file or to standard output. */
export const download = command({
  description: 'download a file of the storage service, or a table as CSV',
  args: { '<file or table>': 'id of a file (a number) or of a table (such as in.c-main.orders)' },
  options: {
    output: option(
      '<path>',
      'where to; - for standard output (default: the name of the file or table); .parquet, .json, .jsonl and .gz say the format of a table',
      { short: 'o' },
    ),
    gzip: flag('of a table: compressed'),
    noHeader: flag('of a table: without the line of column names'),
    slices: flag('of a sliced file: each slice by itself, into the folder that --output names'),
    ...storageOptions,
  },
  help: 'The same command resumes a download that was cut short.',
  run: async (call, target) => {
    const { runDownload } = await import('./service/run-download.ts')
    await runDownload(target, call)
  },
})
