import type { Command } from 'commander'
import { addStorageOptions } from './storage-options.ts'
import type { UploadFlags } from './transfer/run-upload.ts'

const list = (text: string): string[] => text.split(',').map(name => name.trim())
const collect = (tag: string, tags: string[]): string[] => [...tags, tag]

/** `millrace upload`: uploads a local file to the storage service and, if a table is named, loads it. */
export const registerUpload = (program: Command): void => {
  const command = program
    .command('upload')
    .description('upload a file to the storage service, and load it into a table with --table')
    .argument('<path>', 'the file')
    .option('--name <name>', 'its name in the service (default: its own)')
    .option('--tag <tag>', 'a tag of the file; may be given again', collect, [])
    .option('--table <id>', 'load it into this table, made with its bucket when missing (in.c-main.orders)')
    .option(
      '--primary-key <columns>',
      'of the table, with commas between; a table with another key is not loaded with --incremental',
      list,
    )
    .option('--incremental', 'add the rows to those of the table')
    .option('--columns <names>', 'with commas between; then the file has no header', list)
    .option('--delimiter <character>', 'between cells (default: ,)')
    .option('--enclosure <character>', 'around cells (default: ")')
    .option('--sliced', 'upload CSV for a table in slices (default: from 256 MiB on)')
  addStorageOptions(command)
    .addHelpText('after', '\nThe same command resumes an upload that was cut short.')
    .action(async (path: string, flags: UploadFlags) => {
      const { runUpload } = await import('./transfer/run-upload.ts')
      process.exitCode = await runUpload(path, flags)
    })
}
