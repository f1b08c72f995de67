import { command, flag, option } from './shell/command.ts'
import { pathIn } from './shell/shell.ts'

/** `millrace extract DATADIR` (docs/extractor.md#the-command). */
export const extraction = command({
  description: 'read an HTTP API into tables, as DATADIR/config.json says',
  args: { '[datadir]': 'folder with config.json and in/state.json; default $KBC_DATADIR, else /data' },
  options: {
    compat: flag('behave like Generic Extractor where we differ'),
    preview: option('<rows>', 'extract that many rows of each job and print the tables; write nothing'),
    guard: flag('refuse addresses that are not on the public internet'),
  },
  run: async ({ flags, shell }, given?: string) => {
    // Not before it runs: the help of all commands would wait for the whole extractor.
    const { runExtract } = await import('./run-extract.ts')
    return runExtract(pathIn(shell, given ?? shell.environment['KBC_DATADIR'] ?? '/data'), flags, shell)
  },
})
