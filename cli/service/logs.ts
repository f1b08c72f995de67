import type { Command } from 'commander'
import { UserError } from '../../functions/lib/errors/errors.ts'
import { createOutput } from '../output/output.ts'
import { sayError } from '../output/say-error.ts'
import { wholeNumber } from './options.ts'

interface Flags {
  follow?: boolean
  lines: string
  json?: boolean
  stack?: string
  url?: string
}

export const registerLogs = (program: Command): void => {
  program
    .command('logs')
    .description('what the functions of the embedded cloud wrote')
    .argument('[function]', 'a part of its name, such as RunJob (default: all)')
    .option('-f, --follow', 'go on with new lines until interrupted')
    .option('--lines <number>', 'so many of the last lines', '50')
    .option('--json', 'print the lines as they are')
    .option('--stack <name>', 'of a deployed stack: prints where its logs are')
    .option('--url <address>', 'not offered: a service does not show its logs')
    .action(async (name: string | undefined, flags: Flags) => {
      try {
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
        const dataDir = process.env['MILLRACE_DATA_DIR'] || '.millrace'
        const lines = wholeNumber(flags.lines)
        process.exitCode = await showLogs(
          { dataDir, name, lines, isFollowed: flags.follow === true },
          createOutput(flags.json === true),
        )
      } catch (error) {
        process.exitCode = sayError(error)
      }
    })
}
