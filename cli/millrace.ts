#!/usr/bin/env node
import { Command } from 'commander'
import packageJson from '../package.json' with { type: 'json' }

type Register = (program: Command) => void

/** Loads the named command alone, and all of them for the help. */
const commands: Readonly<Record<string, () => Promise<Register>>> = {
  start: async () => (await import('./start.ts')).registerStart,
  status: async () => (await import('./service/status.ts')).registerStatus,
  tables: async () => (await import('./service/tables.ts')).registerTables,
  query: async () => (await import('./service/query.ts')).registerQuery,
  upload: async () => (await import('./upload.ts')).registerUpload,
  download: async () => (await import('./download.ts')).registerDownload,
  wait: async () => (await import('./service/wait.ts')).registerWait,
  jobs: async () => (await import('./service/jobs.ts')).registerJobs,
  runs: async () => (await import('./service/runs.ts')).registerRuns,
  events: async () => (await import('./service/events.ts')).registerEvents,
  logs: async () => (await import('./service/logs.ts')).registerLogs,
  letters: async () => (await import('./service/letters.ts')).registerLetters,
  config: async () => (await import('./service/config.ts')).registerConfig,
  extract: async () => (await import('./extract.ts')).registerExtract,
  execute: async () => (await import('./execute.ts')).registerExecute,
  tokens: async () => (await import('./service/tokens.ts')).registerTokens,
  open: async () => (await import('./service/open.ts')).registerOpen,
  login: async () => (await import('./service/login.ts')).registerLogin,
  migrate: async () => (await import('./migrate.ts')).registerMigrate,
}

const program = new Command('millrace')
  .description('Drop a file, get a table: the one-machine cloud and its tools')
  .version(packageJson.version)
  .showHelpAfterError()
  .configureHelp({ showGlobalOptions: true })

const loaded = new Set<string>()
const load = async (name: string): Promise<void> => {
  if (loaded.has(name)) return
  loaded.add(name)
  const register = await commands[name]?.()
  register?.(program)
}
const loadAll = async (): Promise<void> => {
  for (const name of Object.keys(commands)) await load(name)
}

const named = process.argv[2] ?? ''
if (named === 'completion') (await import('./completion.ts')).registerCompletion(program, loadAll)
else if (Object.hasOwn(commands, named)) await load(named)
else {
  await loadAll()
  const { registerCompletion } = await import('./completion.ts')
  registerCompletion(program, loadAll)
}

// A reader that has seen enough, such as head, closes the pipe.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0)
  throw error
})

await program.parseAsync()
