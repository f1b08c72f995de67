import type { ExtractFlags } from './run-extract.ts'
import { argument, type Call, type Command, option } from './shell/command.ts'
import { pathIn } from './shell/shell.ts'

/** `millrace extract DATADIR` (docs/extractor.md#the-command). */
export const extraction: Command = {
  description: 'read an HTTP API into tables, as DATADIR/config.json says',
  args: [
    argument('[datadir]', 'folder with config.json and in/state.json; default $KBC_DATADIR, else /data'),
  ],
  options: [
    option('--compat', 'behave like Generic Extractor where we differ'),
    option('--preview <rows>', 'extract that many rows of each job and print the tables; write nothing'),
    option('--guard', 'refuse addresses that are not on the public internet'),
  ],
  run: async ({ flags, shell }: Call<ExtractFlags>, given?: string) => {
    // Not before it runs: the help of all commands would wait for the whole extractor.
    const { runExtract } = await import('./run-extract.ts')
    return runExtract(pathIn(shell, given ?? shell.environment['KBC_DATADIR'] ?? '/data'), flags, shell)
  },
}
