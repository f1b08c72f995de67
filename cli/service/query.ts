import type { Command } from 'commander'
import { UserError } from '../../functions/lib/errors/errors.ts'
import { addServiceOptions, type ServiceFlags } from '../storage-options.ts'
import { queryFormats as formats, type QueryFormat } from './query-formats.ts'
import { runOnService } from './run-on-service.ts'

interface Flags extends ServiceFlags {
  format?: string
  output?: string
  detectTypes?: boolean
}

export const registerQuery = (program: Command): void => {
  addServiceOptions(program.command('query'))
    .description('run a query (SQL of DuckDB) on tables, which are named like in.c-main.orders')
    .argument('<sql>', 'the query, or - for standard input')
    .option('--format <format>', `${formats.join(', ')} (default: by --output, else table)`)
    .option('-o, --output <path>', 'write the result to this file')
    .option('--detect-types', 'read cells that look like numbers or dates as such (default: text, as stored)')
    .addHelpText(
      'after',
      `
Each table of the query is downloaded first. Cells are text: compare and add them as numbers with a cast,
  millrace query "SELECT city, sum(total::DECIMAL(12,2)) FROM in.c-main.orders GROUP BY city"`,
    )
    .action((given: string, flags: Flags) =>
      runOnService(flags, async ({ api, out }) => {
        const format = formatOf(flags)
        if (format === 'parquet' && flags.output === undefined)
          throw new UserError('cli.usage', 'A Parquet file needs a name: give --output FILE.')
        const { runQuery } = await import('./run-query.ts')
        const { text } = await import('node:stream/consumers')
        const sql = given === '-' ? await text(process.stdin) : given
        await runQuery(
          { sql, format, outputPath: flags.output, detectsTypes: flags.detectTypes === true },
          { address: api.address, out },
        )
        return undefined
      }),
    )
}

const formatOf = ({ format, output, json }: Flags): QueryFormat => {
  if (format !== undefined) {
    const known = formats.find(each => each === format)
    if (known) return known
    throw new UserError('cli.usage', `There is no format "${format}". There are: ${formats.join(', ')}.`)
  }
  if (json) return 'json'
  return formats.find(each => output?.endsWith(`.${each}`)) ?? (output === undefined ? 'table' : 'csv')
}
