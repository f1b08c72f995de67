import type { Command } from './shell/command.ts'

type Load = () => Promise<Command>

/** All commands, in the order of the help. Each is loaded when it is needed. */
const commands: Readonly<Record<string, Load>> = {
  start: async () => (await import('./start.ts')).start,
  status: async () => (await import('./service/status.ts')).status,
  tables: async () => (await import('./service/tables.ts')).tables,
  buckets: async () => (await import('./service/resources.ts')).buckets,
  files: async () => (await import('./service/resources.ts')).files,
  search: async () => (await import('./service/resources.ts')).search,
  query: async () => (await import('./service/query.ts')).query,
  upload: async () => (await import('./upload.ts')).upload,
  download: async () => (await import('./download.ts')).download,
  wait: async () => (await import('./service/wait.ts')).wait,
  jobs: async () => (await import('./service/jobs.ts')).jobs,
  runs: async () => (await import('./service/resources.ts')).runs,
  events: async () => (await import('./service/resources.ts')).events,
  logs: async () => (await import('./service/logs.ts')).logs,
  letters: async () => (await import('./service/letters.ts')).letters,
  config: async () => (await import('./service/config.ts')).config,
  init: async () => (await import('./init.ts')).init,
  extract: async () => (await import('./extract.ts')).extraction,
  execute: async () => (await import('./execute.ts')).execute,
  tokens: async () => (await import('./service/resources.ts')).tokens,
  open: async () => (await import('./service/open.ts')).open,
  login: async () => (await import('./service/login.ts')).login,
  completion: async () => (await import('./completion.ts')).completionOf(() => loadAll()),
}

const loadAll = async (): Promise<Record<string, Command>> => {
  const loaded = Object.entries(commands).map(async ([name, load]) => [name, await load()] as const)
  return Object.fromEntries(await Promise.all(loaded))
}

/** The named command alone; all of them, for the help, when there is none of this name. */
export const loadCommands = async (name: string): Promise<Record<string, Command>> => {
  const load = Object.hasOwn(commands, name) ? commands[name] : undefined
  return load ? { [name]: await load() } : loadAll()
}
