import * as z from 'zod/mini'
import { UserError } from '../../functions/lib/errors/errors.ts'
import { plural } from '../../functions/lib/plural.ts'
import { quoteIdentifier, quoteLiteral } from '../../functions/lib/table-engine/duckdb/sql.ts'
import { queryBody } from '../../functions/lib/wire/query-body.ts'
import { segment } from '../connect/options.ts'
import { argument, type Command, listOption, option } from '../shell/command.ts'
import { confirm, WAY_BACK, yesOption } from '../shell/confirm.ts'
import { doJob } from './do-job.ts'
import { onService, type ServiceCall } from './on-service.ts'

interface Flags {
  yes?: boolean
  force?: boolean
  where?: string[]
}

const id = argument('<table>', 'id of a table, such as in.c-main.orders')

export const changeCommands: Readonly<Record<string, Command>> = {
  rename: {
    description: 'give a table another name to show; its id stays',
    args: [id, argument('<name>')],
    run: onService(async (call, tableId, displayName) =>
      doJob(call, 'PUT', `tables/${segment(tableId)}?async=1`, { displayName }),
    ),
  },
  truncate: {
    description: 'delete all rows of a table',
    args: [id],
    options: [yesOption],
    run: onService<Flags>(async (call, tableId) => {
      const rows = await countRows(call, tableId, [])
      await confirm(`This deletes the ${rows} of ${tableId}. ${WAY_BACK}`, tableId, call)
      return doJob(call, 'DELETE', `tables/${segment(tableId)}/rows?allowTruncate=1`)
    }),
  },
  rows: {
    description: 'rows of a table',
    commands: {
      delete: {
        description: 'delete the rows that match',
        args: [id],
        options: [
          listOption('--where <condition>', "such as 'city = Brno' (also !=, >, >=, <, <=, by text)"),
          yesOption,
        ],
        help: `All conditions must hold. Values are compared as the column holds them: texts, or by its type in a typed table.`,
        run: onService<Flags>(async (call, tableId) => {
          const conditions = (call.flags.where ?? []).map(parseCondition)
          if (conditions.length === 0)
            throw new UserError(
              'cli.usage',
              'Give --where, or delete all rows with millrace tables truncate.',
            )
          const rows = await countRows(call, tableId, conditions)
          await confirm(`This deletes ${rows} of ${tableId}. ${WAY_BACK}`, tableId, call)
          const whereFilters = conditions.map(({ column, operator, value }) => ({
            column,
            operator,
            values: [value],
          }))
          return doJob(call, 'DELETE', `tables/${segment(tableId)}/rows`, { whereFilters })
        }),
      },
    },
  },
  delete: {
    description: 'delete a table',
    args: [id],
    options: [option('--force', 'its aliases too'), yesOption],
    run: onService<Flags>(async (call, tableId) => {
      const { api, flags, out } = call
      const rows = await countRows(call, tableId, [])
      const what = `${tableId} is deleted with ${rows}. Only a snapshot that was kept brings it back.`
      await confirm(what, tableId, call)
      await api.send('DELETE', `tables/${segment(tableId)}?force=${flags.force ? 1 : 0}`, z.unknown())
      out.show({ deleted: tableId }, () => out.line(`${tableId}: deleted`))
      return undefined
    }),
  },
}

interface Condition {
  column: string
  operator: (typeof OPERATORS)[keyof typeof OPERATORS]
  /** The same for SQL. */
  sign: keyof typeof OPERATORS
  value: string
}

const OPERATORS = { '=': 'eq', '!=': 'ne', '>=': 'ge', '<=': 'le', '>': 'gt', '<': 'lt' } as const

const parseCondition = (text: string): Condition => {
  const [, column, sign, given] = /^\s*([^=!<>]+?)\s*(=|!=|>=|<=|>|<)\s*(.*?)\s*$/s.exec(text) ?? []
  if (column === undefined || given === undefined || !isSign(sign))
    throw new UserError('cli.usage', `"${text}" is no condition: write it like 'city = Brno'.`)
  const value = /^'(.*)'$/s.exec(given)?.[1] ?? given
  return { column, operator: OPERATORS[sign], sign, value }
}

const isSign = (sign: string | undefined): sign is keyof typeof OPERATORS =>
  sign !== undefined && Object.hasOwn(OPERATORS, sign)

const countRows = async (
  { api }: Pick<ServiceCall, 'api'>,
  tableId: string,
  conditions: readonly Condition[],
): Promise<string> => {
  const where = conditions.map(
    ({ column, sign, value }) => `${quoteIdentifier(column)} ${sign} ${quoteLiteral(value)}`,
  )
  const sql = `SELECT count(*) FROM ${quoteIdentifier(tableId)} WHERE ${where.join(' AND ') || 'true'}`
  const { rows } = await api.send('POST', 'query', queryBody, { sql })
  return plural(Number(rows[0]?.[0]), 'row')
}
