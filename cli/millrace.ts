#!/usr/bin/env node
import { Command } from 'commander'

/** Loads the named command alone, and all of them for the help. */
const commands: Readonly<Record<string, () => Promise<(program: Command) => void>>> = {
  start: async () => (await import('./start.ts')).registerStart,
  execute: async () => (await import('./execute.ts')).registerExecute,
  extract: async () => (await import('./extract.ts')).registerExtract,
  download: async () => (await import('./download.ts')).registerDownload,
  migrate: async () => (await import('./migrate.ts')).registerMigrate,
  upload: async () => (await import('./upload.ts')).registerUpload,
}

const program = new Command('millrace')
  .description('Drop a file, get a table: the one-machine cloud and its tools')
  .showHelpAfterError()

const named = process.argv[2] ?? ''
for (const [name, load] of Object.entries(commands)) {
  if (name === named || !Object.hasOwn(commands, named)) (await load())(program)
}

await program.parseAsync()
