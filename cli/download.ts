import type { Command } from 'commander'
import { addStorageOptions } from './storage-options.ts'
import type { DownloadFlags } from './transfer/run-download.ts'

/** `millrace download`: a file, or a table exported first, to a local file or to standard output. */
export const registerDownload = (program: Command): void => {
  const command = program
    .command('download')
    .description('download a file of the storage service, or a table as CSV')
    .argument('<file or table>', 'id of a file (a number) or of a table (such as in.c-main.orders)')
    .option('-o, --output <path>', 'where to; - for standard output (default: the name of the file or table)')
    .option('--gzip', 'of a table: compressed')
    .option('--no-header', 'of a table: without the line of column names')
  addStorageOptions(command)
    .addHelpText('after', '\nThe same command resumes a download that was cut short.')
    .action(async (target: string, flags: DownloadFlags) => {
      const { runDownload } = await import('./transfer/run-download.ts')
      process.exitCode = await runDownload(target, flags)
    })
}
