import { storageOptions } from './connect/storage-options.ts'
import type { DownloadFlags } from './service/run-download.ts'
import { argument, type Call, type Command, option } from './shell/command.ts'

/** `millrace download`: a file, or a table exported first, to a local file or to standard output. */
export const download: Command = {
  description: 'download a file of the storage service, or a table as CSV',
  args: [argument('<file or table>', 'id of a file (a number) or of a table (such as in.c-main.orders)')],
  options: [
    option(
      '-o, --output <path>',
      'where to; - for standard output (default: the name of the file or table); .parquet, .json, .jsonl and .gz say the format of a table',
    ),
    option('--gzip', 'of a table: compressed'),
    option('--no-header', 'of a table: without the line of column names'),
    option('--slices', 'of a sliced file: each slice by itself, into the folder that --output names'),
    ...storageOptions,
  ],
  help: 'The same command resumes a download that was cut short.',
  run: async ({ flags, shell }: Call<DownloadFlags>, target: string) => {
    const { runDownload } = await import('./service/run-download.ts')
    await runDownload(target, flags, shell)
    return undefined
  },
}
