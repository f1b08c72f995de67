import { createWriteStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { serviceOptions } from './connect/storage-options.ts'
import { argument, type Call, type Command, listOption, option } from './shell/command.ts'
import { pathIn } from './shell/shell.ts'
import type { UploadFlags } from './transfer/run-upload.ts'

const list = (text: string): string[] => text.split(',').map(name => name.trim())

/** `millrace upload`: uploads a local file to the storage service and, if a table is named, loads it. */
export const upload: Command = {
  description: 'upload a file to the storage service, and load it into a table with --table',
  args: [argument('<path>', 'the file; - for standard input')],
  options: [
    option('--name <name>', 'its name in the service (default: its own)'),
    listOption('--tag <tag>', 'a tag of the file'),
    option('--table <id>', 'load it into this table, made with its bucket when missing (in.c-main.orders)'),
    option(
      '--primary-key <columns>',
      'of the table, with commas between; a table with another key is not loaded with --incremental',
    ).argParser(list),
    option('--incremental', 'add the rows to those of the table'),
    option('--columns <names>', 'with commas between; then the file has no header').argParser(list),
    option('--delimiter <character>', 'between cells (default: , and a tab in .tsv and .txt)'),
    option('--enclosure <character>', 'around cells (default: ")'),
    option('--sliced', 'upload CSV for a table in slices (default: from 256 MiB on)'),
    ...serviceOptions,
  ],
  help: 'The same command resumes an upload that was cut short.',
  run: async ({ flags, shell }: Call<UploadFlags>, path: string) => {
    const { runUpload } = await import('./transfer/run-upload.ts')
    if (path !== '-') await runUpload(pathIn(shell, path), flags, shell)
    else
      await fromInput(shell, spooled =>
        runUpload(spooled, { name: 'stdin.csv', ...flags }, shell, 'Nothing was stored.'),
      )
    return undefined
  },
}

/** An upload needs the length, and may read a file again: standard input becomes a file first. */
const fromInput = async ({ stdin }: Call['shell'], work: (path: string) => Promise<void>): Promise<void> => {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-upload-'))
  try {
    const path = join(folder, 'stdin')
    await pipeline(stdin, createWriteStream(path))
    await work(path)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
