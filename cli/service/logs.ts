import { UserError } from '../../functions/lib/errors/errors.ts'
import { findCloud } from '../connect/installation.ts'
import { command, flag, number, option } from '../shell/command.ts'
import { dataDirOf } from '../shell/shell.ts'

export const logs = command({
  description: 'what the functions of the embedded cloud wrote',
  args: { '[function]': 'a part of its name, such as run-job (default: all)' },
  options: {
    follow: flag('go on with new lines until interrupted', 'f'),
    lines: number('<number>', 'so many of the last lines', 50),
    json: flag('print the lines as they are'),
    stack: option('<name>', 'of a deployed stack: prints where its logs are'),
    url: option('<address>', 'not offered: a service does not show its logs'),
  },
  run: async ({ flags, shell, out }, name?: string) => {
    const { follow, lines, stack, url } = flags
    if (url !== undefined)
      throw new UserError(
        'cli.usage',
        'A service shows no logs of its functions at its address: events say what happened.',
      )
    if (stack !== undefined)
      throw new UserError(
        'cli.usage',
        `The logs of a deployed stack are in CloudWatch: aws logs tail --follow, for the groups of ${stack}.`,
      )
    const { showLogs } = await import('./show-logs.ts')
    const followedUntil = follow ? shell.onInterrupt() : undefined
    const { cloud, place } = await findCloud(shell)
    return showLogs({ dataDir: cloud ? place : dataDirOf(shell), name, lines, followedUntil }, out)
  },
})
