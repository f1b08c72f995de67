import { UserError } from '../../functions/lib/errors/errors.ts'
import { serviceCommand, serviceOptions } from '../connect/service-command.ts'
import { flag, option } from '../shell/command.ts'
import { pathIn } from '../shell/shell.ts'
import { formatOfName, queryFormats as formats, type QueryFormat } from './query-formats.ts'

export const query = serviceCommand({
  description: 'run a query (SQL of DuckDB) on tables, which are named like in.c-main.orders',
  args: { '<sql>': 'the query, or - for standard input' },
  options: {
    format: option('<format>', `${formats.join(', ')} (default: by --output, else table)`),
    output: option('<path>', 'write the result to this file, compressed when its name ends in .gz', {
      short: 'o',
    }),
    detectTypes: flag('read cells that look like numbers or dates as such (default: text, as stored)'),
    saveAs: option(
      '<table>',
      'keep the whole result as this table, such as out.c-main.by-city, in place of its rows',
    ),
    ...serviceOptions,
  },
  help: `The service reads the tables where they lie. Cells are text: compare and add them as numbers with a cast,
  millrace query "SELECT city, sum(total::DECIMAL(12,2)) FROM in.c-main.orders GROUP BY city"`,
  run: async (call, given) => {
    const { flags, shell } = call
    const format = formatOf(flags)
    if (format === 'parquet' && flags.output === undefined)
      throw new UserError('cli.usage', 'A Parquet file needs a name: give --output FILE.')
    const { runQuery, saveQuery } = await import('./run-query.ts')
    const { text } = await import('node:stream/consumers')
    const sql = given === '-' ? await text(shell.stdin) : given
    const asked = { sql, detectTypes: flags.detectTypes === true }
    if (flags.saveAs !== undefined) return saveQuery(asked, flags.saveAs, call)
    const outputPath = flags.output === undefined ? undefined : pathIn(shell, flags.output)
    await runQuery(asked, { format, outputPath }, call)
    return undefined
  },
})

interface Wanted {
  format?: string | undefined
  output?: string | undefined
  json?: boolean | undefined
}

const formatOf = ({ format, output, json }: Wanted): QueryFormat => {
  if (format !== undefined) {
    const known = formats.find(each => each === format)
    if (known) return known
    throw new UserError('cli.usage', `There is no format "${format}". There are: ${formats.join(', ')}.`)
  }
  if (json) return 'json'
  return output === undefined ? 'table' : (formatOfName(output).format ?? 'csv')
}
