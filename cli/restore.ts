import { jsonOption, profileOption } from './connect/storage-options.ts'
import type { RestoreFlags } from './restore/restore-installation.ts'
import { type Call, type Command, option } from './shell/command.ts'

/** `millrace restore`: items of another time, and the objects that they name. */
export const restore: Command = {
  description: 'bring back deleted objects of tables, and items of another time',
  options: [
    option('--stack <name>', 'the service of this CloudFormation stack (default: the embedded cloud)'),
    profileOption,
    option(
      '--items <table>',
      'take all items from this table of DynamoDB, which was restored beside the stack’s',
    ),
    option('--apply', 'do it; without it, only say what would be done'),
    jsonOption,
  ],
  help: 'With --items let nothing write meanwhile; without it the service may go on: docs/backup.md.',
  run: async (call: Call<RestoreFlags>) => {
    const { restoreInstallation } = await import('./restore/restore-installation.ts')
    return restoreInstallation(call)
  },
}
