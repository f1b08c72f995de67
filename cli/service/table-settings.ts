import * as z from 'zod/mini'
import { UserError } from '../../functions/lib/errors/errors.ts'
import { LOAD_SETTINGS, loadSettingsOf, loadSettingWords } from '../../functions/lib/wire/load-settings.ts'
import { metadatumBody } from '../../functions/lib/wire/metadatum-body.ts'
import { path } from '../connect/api.ts'
import { serviceCommand } from '../connect/service-command.ts'
import { commaOption, flag, option } from '../shell/command.ts'

/** `millrace tables settings`: how the files of a table load that land, where neither their metadata nor a rule says it. */
export const settingsCommand = serviceCommand({
  description: 'how the files of a table load that land: shows it, or keeps what is given',
  args: { '<table>': 'id of a table, such as in.c-main.orders' },
  options: {
    incremental: flag('add the rows, and replace those with the same primary key'),
    types: option('<types>', 'where all rows are replaced: text or detect', { choices: ['text', 'detect'] }),
    delimiter: option('<character>', 'between cells'),
    enclosure: option('<character>', 'around cells'),
    columns: commaOption('<names>', 'with commas between; the files have no header'),
    reset: flag('forget what was kept before'),
  },
  run: async ({ api, flags, out }, tableId) => {
    const { incremental, types, delimiter, enclosure, columns, reset } = flags
    const place = path`tables/${tableId}/metadata`
    const given = {
      incremental: incremental && '1',
      types,
      delimiter,
      enclosure,
      columns: columns?.join(','),
    }
    const metadata = loadSettingWords.flatMap(word => {
      const value = given[word]
      if (value === '') throw new UserError('cli.usage', `--${word} needs a value.`)
      return value === undefined ? [] : [{ key: LOAD_SETTINGS.prefix + word, value }]
    })
    const list = z.array(metadatumBody)
    if (reset)
      for (const { id, key, provider } of await api.get(place, list))
        if (provider === LOAD_SETTINGS.provider && key.startsWith(LOAD_SETTINGS.prefix))
          await api.send('DELETE', path`tables/${tableId}/metadata/${id}`, z.unknown())
    if (metadata.length > 0)
      await api.send('POST', place, z.unknown(), { provider: LOAD_SETTINGS.provider, metadata })
    const kept = loadSettingsOf(await api.get(place, list))
    out.show(kept, () => {
      if (Object.keys(kept).length === 0) out.line('Each file that lands replaces all rows.')
      else out.fields(kept)
    })
    return undefined
  },
})
