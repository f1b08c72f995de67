import * as z from 'zod/mini'
import { UserError } from '../../functions/lib/errors/errors.ts'
import { parseCsvDialect } from '../../functions/lib/table-engine/csv/csv-dialect.ts'
import { isLoadSetting, loadSettingsOf, metadataOfSettings } from '../../functions/lib/wire/load-settings.ts'
import { metadatumBody } from '../../functions/lib/wire/metadatum-body.ts'
import { parseTableId } from '../../functions/lib/wire/storage-ids.ts'
import { path } from '../connect/api.ts'
import { type ServiceCall, serviceCommand } from '../connect/service-command.ts'
import { commaOption, type FlagsOf, flag, listOption, option } from '../shell/command.ts'
import { args } from './change-tables.ts'
import { doJob } from './do-job.ts'

const list = z.array(metadatumBody)

/** The words of landing metadata that a table can keep. */
const settingsOptions = {
  incremental: flag('add the rows, and replace those with the same primary key'),
  types: option('<types>', 'where all rows are replaced: text or detect', { choices: ['text', 'detect'] }),
  delimiter: option('<character>', 'between cells'),
  enclosure: option('<character>', 'around cells'),
  columns: commaOption('<names>', 'with commas between; the files have no header'),
}

const keepSettings = async (
  { api, flags }: Pick<ServiceCall<FlagsOf<typeof settingsOptions>>, 'api' | 'flags'>,
  tableId: string,
): Promise<void> => {
  const { incremental, types, delimiter, enclosure, columns } = flags
  const given = {
    incremental: incremental ? '1' : undefined,
    types,
    delimiter,
    enclosure,
    columns: columns?.join(','),
  }
  const empty = Object.entries(given).find(([, value]) => value === '')
  if (empty) throw new UserError('cli.usage', `--${empty[0]} needs a value.`)
  parseCsvDialect(given)
  const kept = metadataOfSettings(given)
  if (kept.metadata.length > 0) await api.send('POST', path`tables/${tableId}/metadata`, z.unknown(), kept)
}

/** `millrace tables settings`: how the files of a table load that land, where neither their metadata nor a rule says it. */
export const settingsCommand = serviceCommand({
  description: 'how the files of a table load that land: shows it, or keeps what is given',
  args,
  options: { ...settingsOptions, reset: flag('forget what was kept before') },
  run: async (call, tableId) => {
    const { api, flags, out } = call
    const place = path`tables/${tableId}/metadata`
    if (flags.reset)
      for (const { id } of (await api.get(place, list)).filter(isLoadSetting))
        await api.send('DELETE', path`tables/${tableId}/metadata/${id}`, z.unknown())
    await keepSettings(call, tableId)
    const kept = loadSettingsOf(await api.get(place, list))
    out.show(kept, () => {
      if (Object.keys(kept).length === 0) out.line('Each file that lands replaces all rows.')
      else out.fields(kept)
    })
    return undefined
  },
})

/** As conditions name them. */
const OTHER_WORDS: Readonly<Record<string, string>> = { text: 'STRING', number: 'NUMERIC' }

const columnOf = (text: string): { name: string; basetype: string } => {
  const [, name = text, type = 'string'] = /^(.+)::(\w+)$/.exec(text) ?? []
  return { name, basetype: OTHER_WORDS[type.toLowerCase()] ?? type.toUpperCase() }
}

/** `millrace tables create`: an empty table whose columns have types, and what it keeps of how its files load. */
export const createCommand = serviceCommand({
  description: 'make an empty table with a definition',
  args,
  options: {
    column: listOption('<name>', "such as 'city', 'id::integer', 'price::numeric' or 'sold::timestamp'"),
    primaryKey: commaOption('<columns>', 'columns that identify a row, with commas between'),
    ...settingsOptions,
  },
  help: `The types are string, integer, numeric, float, boolean, date and timestamp. What they do not hold is refused at a load.`,
  run: async (call, tableId) => {
    const { column = [], primaryKey = [] } = call.flags
    if (column.length === 0) throw new UserError('cli.usage', 'Give --column, once for each column.')
    const place = parseTableId(tableId)
    if (!place)
      throw new UserError('cli.usage', `"${tableId}" is no id of a table, such as in.c-main.orders.`)
    const code = await doJob(call, 'POST', path`buckets/${place.bucketId}/tables-definition`, {
      name: place.name,
      primaryKeysNames: primaryKey,
      columns: column.map(columnOf),
    })
    if (code === 0) await keepSettings(call, tableId)
    return code
  },
})
