import * as z from 'zod/mini'
import { UserError } from '../../functions/lib/errors/errors.ts'
import {
  configurationBody,
  rolledBackBody,
  scheduleBody,
} from '../../functions/lib/wire/configuration-body.ts'
import { readsAll } from '../../functions/lib/wire/reads.ts'
import { commaList, wholeNumber } from '../connect/options.ts'
import { argument, type Command, option } from '../shell/command.ts'
import { confirm, NO_WAY_BACK, yesOption } from '../shell/confirm.ts'
import { formatTime } from '../shell/format-values.ts'
import { parsePlace, pathOfConfig, pathOfPlace } from './config-place.ts'
import { onService, type ServiceCall } from './on-service.ts'
import { readJsonObject } from './read-json.ts'

const versioned = readsAll(configurationBody, { version: true })
const withState = readsAll(configurationBody, { state: true })
const rolledBack = readsAll(rolledBackBody, { version: z.coerce.number() })

const place = argument('<place>', 'COMPONENT/CONFIGURATION')
const placeOrRow = argument('<place>', 'COMPONENT/CONFIGURATION, and /ROW for a row')

export const settingCommands: Readonly<Record<string, Command>> = {
  schedule: {
    description: 'show when a configuration runs by itself, and its next five times',
    args: [place],
    run: onService((call, text) => showSchedule(call, text)),
  },
  enable: {
    description: 'let a configuration or a row run',
    args: [placeOrRow],
    run: onService((call, text) => setDisabled(call, text, false)),
  },
  disable: {
    description: 'keep a configuration from its schedule and triggers, or a row from running',
    args: [placeOrRow],
    run: onService((call, text) => setDisabled(call, text, true)),
  },
  rollback: {
    description: 'make an older version the current one, as a new version',
    args: [place, argument('<version>')],
    run: onService(async ({ api, out }, text, version) => {
      const of = `${pathOfConfig(parsePlace(text))}/versions/${wholeNumber(version)}/rollback`
      const made = await api.send('POST', of, rolledBack, {})
      out.show(made, () => out.line(`${text}: version ${made.version}, which is version ${version}`))
      return undefined
    }),
  },
  state: {
    description: 'print what runs remember, or set it',
    args: [placeOrRow],
    options: [
      option('--set <file>', 'JSON that replaces it, or - for standard input'),
      option('--reset', 'forget it: the next run reads from the beginning'),
      yesOption,
    ],
    help: 'Asks before a state is replaced or forgotten: states have no versions.',
    run: onService<StateFlags>((call, text) => stateOf(call, text)),
  },
  order: {
    description: 'set the order in which the rows of a configuration run',
    args: [place, argument('<rows>', 'ids of all rows, with commas between')],
    run: onService(async ({ api, out }, text, rows) => {
      const rowsSortOrder = commaList(rows)
      const stored = await api.send('PUT', pathOfConfig(parsePlace(text)), versioned, { rowsSortOrder })
      out.show(stored, () => out.line(`${text}: version ${stored.version}`))
      return undefined
    }),
  },
  delete: {
    description: 'put a configuration into the trash, delete one that is there, or delete a row',
    args: [placeOrRow],
    run: onService(async ({ api, out }, text) => {
      await api.send('DELETE', pathOfPlace(parsePlace(text)), z.unknown())
      out.show({ deleted: text }, () => out.line(`${text}: deleted`))
      return undefined
    }),
  },
}

interface StateFlags {
  set?: string
  reset?: boolean
  yes?: boolean
}

const stateOf = async (call: ServiceCall<StateFlags>, text: string): Promise<undefined> => {
  const { api, out, shell } = call
  const { set, reset } = call.flags
  if (set !== undefined && reset) throw new UserError('cli.usage', 'Give --set or --reset, not both.')
  const path = pathOfPlace(parsePlace(text))
  const given = reset ? {} : set === undefined ? undefined : await readJsonObject(set, shell)
  let { state } = await api.get(path, withState)
  if (given !== undefined) {
    const what = `The state of ${text} is ${reset ? 'forgotten' : 'replaced'}, and states have no versions.`
    if (Object.keys(state).length > 0) await confirm(`${what} ${NO_WAY_BACK}`, text, call)
    ;({ state } = await api.send('PUT', `${path}/state`, withState, { state: given }))
  }
  out.show(state, () => out.line(JSON.stringify(state, null, 2)))
  return undefined
}

const showSchedule = async ({ api, out }: ServiceCall, text: string): Promise<undefined> => {
  const place = parsePlace(text)
  if (place.rowId !== undefined)
    throw new UserError('cli.usage', 'Rows have no schedule of their own: leave out the row.')
  const found = await api.get(`${pathOfConfig(place)}/schedule`, scheduleBody)
  out.show(found, () => {
    if (found.expression === null) return out.line('No schedule.')
    out.fields({
      schedule: found.expression,
      'time zone': found.timezone,
      state: found.isActive ? 'active' : 'off',
    })
    for (const time of found.nextTimes) out.line(`${formatTime(time)} UTC`)
  })
  return undefined
}

const setDisabled = async (
  { api, out }: ServiceCall,
  text: string,
  isDisabled: boolean,
): Promise<undefined> => {
  const stored = await api.send('PUT', pathOfPlace(parsePlace(text)), versioned, { isDisabled })
  out.show(stored, () => out.line(`${text}: ${isDisabled ? 'disabled' : 'enabled'}`))
  return undefined
}
