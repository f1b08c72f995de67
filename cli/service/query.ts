import { UserError } from '../../functions/lib/errors/errors.ts'
import { type ServiceFlags, serviceOptions } from '../connect/storage-options.ts'
import { argument, type Command, option } from '../shell/command.ts'
import { pathIn } from '../shell/shell.ts'
import { onService } from './on-service.ts'
import { formatOfName, queryFormats as formats, type QueryFormat } from './query-formats.ts'

interface Flags extends ServiceFlags {
  format?: string
  output?: string
  detectTypes?: boolean
  saveAs?: string
}

export const query: Command = {
  description: 'run a query (SQL of DuckDB) on tables, which are named like in.c-main.orders',
  args: [argument('<sql>', 'the query, or - for standard input')],
  options: [
    option('--format <format>', `${formats.join(', ')} (default: by --output, else table)`),
    option('-o, --output <path>', 'write the result to this file, compressed when its name ends in .gz'),
    option('--detect-types', 'read cells that look like numbers or dates as such (default: text, as stored)'),
    option(
      '--save-as <table>',
      'keep the whole result as this table, such as out.c-main.by-city, in place of its rows',
    ),
    ...serviceOptions,
  ],
  help: `The service reads the tables where they lie. Cells are text: compare and add them as numbers with a cast,
  millrace query "SELECT city, sum(total::DECIMAL(12,2)) FROM in.c-main.orders GROUP BY city"`,
  run: onService<Flags>(async (call, given) => {
    const { api, out, flags, shell } = call
    const format = formatOf(flags)
    if (format === 'parquet' && flags.output === undefined)
      throw new UserError('cli.usage', 'A Parquet file needs a name: give --output FILE.')
    const { runQuery } = await import('./run-query.ts')
    const { text } = await import('node:stream/consumers')
    const sql = given === '-' ? await text(shell.stdin) : given
    if (flags.saveAs !== undefined) {
      const { saveQuery } = await import('./save-query.ts')
      return saveQuery({ ...flags, sql, saveAs: flags.saveAs }, call)
    }
    const outputPath = flags.output === undefined ? undefined : pathIn(shell, flags.output)
    await runQuery({ sql, format, outputPath, detectsTypes: flags.detectTypes === true }, { api, out, shell })
    return undefined
  }),
}

const formatOf = ({ format, output, json }: Flags): QueryFormat => {
  if (format !== undefined) {
    const known = formats.find(each => each === format)
    if (known) return known
    throw new UserError('cli.usage', `There is no format "${format}". There are: ${formats.join(', ')}.`)
  }
  if (json) return 'json'
  return output === undefined ? 'table' : (formatOfName(output).format ?? 'csv')
}
