import { UserError } from '../../functions/lib/errors/errors.ts'
import { findCloud } from '../connect/find-cloud.ts'
import { wholeNumber } from '../connect/options.ts'
import { argument, type Call, type Command, option } from '../shell/command.ts'
import { dataDirOf } from '../shell/shell.ts'

interface Flags {
  follow?: boolean
  lines: string
  stack?: string
  url?: string
}

export const logs: Command = {
  description: 'what the functions of the embedded cloud wrote',
  args: [argument('[function]', 'a part of its name, such as RunJob (default: all)')],
  options: [
    option('-f, --follow', 'go on with new lines until interrupted'),
    option('--lines <number>', 'so many of the last lines', '50'),
    option('--json', 'print the lines as they are'),
    option('--stack <name>', 'of a deployed stack: prints where its logs are'),
    option('--url <address>', 'not offered: a service does not show its logs'),
  ],
  run: async ({ flags, shell, out }: Call<Flags>, name?: string) => {
    if (flags.url !== undefined)
      throw new UserError(
        'cli.usage',
        'A service shows no logs of its functions at its address: events say what happened.',
      )
    if (flags.stack !== undefined)
      throw new UserError(
        'cli.usage',
        `The logs of a deployed stack are in CloudWatch: aws logs tail --follow, for the groups of ${flags.stack}.`,
      )
    const { showLogs } = await import('./show-logs.ts')
    const followedUntil = flags.follow ? shell.onInterrupt() : undefined
    const { cloud, place } = await findCloud(shell)
    const query = {
      dataDir: cloud ? place : dataDirOf(shell),
      name,
      lines: wholeNumber(flags.lines),
      followedUntil,
    }
    return showLogs(query, out)
  },
}
