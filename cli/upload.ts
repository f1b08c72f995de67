import { createWriteStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { type Call, command } from './shell/command.ts'
import { pathIn } from './shell/shell.ts'
import { uploadOptions } from './transfer/upload-options.ts'

/** `millrace upload`: uploads a local file to the storage service and, if a table is named, loads it. */
export const upload = command({
  description: 'upload a file to the storage service, and load it into a table with --table',
  args: { '<path>': 'the file; - for standard input' },
  options: uploadOptions,
  help: 'The same command resumes an upload that was cut short.',
  run: async ({ flags, shell }, path) => {
    const { runUpload } = await import('./transfer/run-upload.ts')
    if (path !== '-') await runUpload(pathIn(shell, path), flags, shell)
    else
      await fromInput(shell, spooled =>
        runUpload(spooled, { ...flags, name: flags.name ?? 'stdin.csv' }, shell, 'Nothing was stored.'),
      )
  },
})

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
