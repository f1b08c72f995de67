import * as z from 'zod/mini'
import { UserError } from '../../functions/lib/errors/errors.ts'
import { scheduleBody } from '../../functions/lib/wire/schedule-body.ts'
import { thing } from '../connect/api.ts'
import { type ServiceCall, serviceCommand } from '../connect/service-command.ts'
import { confirm, NO_WAY_BACK, yesOption } from '../shell/ask.ts'
import { type Command, type FlagsOf, flag, option, wholeNumber } from '../shell/command.ts'
import { formatTime } from '../shell/format-values.ts'
import { readJsonObject } from '../shell/read-json.ts'
import { parsePlace, placeOnly, placeOrRow, sayWarnings } from './config-place.ts'

const stateOptions = {
  set: option('<file>', 'JSON that replaces it, or - for standard input'),
  reset: flag('forget it: the next run reads from the beginning'),
  yes: yesOption,
}

export const settingCommands: Readonly<Record<string, Command>> = {
  schedule: serviceCommand({
    description: 'show when a configuration runs by itself, and its next five times',
    args: placeOnly,
    run: (call, text) => showSchedules(call, text),
  }),
  enable: serviceCommand({
    description: 'let a configuration or a row run',
    args: placeOrRow,
    run: (call, text) => setDisabled(call, text, false),
  }),
  disable: serviceCommand({
    description: 'keep a configuration from its schedule and triggers, or a row from running',
    args: placeOrRow,
    run: (call, text) => setDisabled(call, text, true),
  }),
  rollback: serviceCommand({
    description: 'make an older version the current one, as a new version',
    args: { ...placeOnly, '<version>': '' },
    run: async ({ api, out }, text, version) => {
      const of = `${parsePlace(text).root}/versions/${wholeNumber(version)}/rollback`
      const made = await api.send('POST', of, thing, {})
      sayWarnings(made, out)
      out.show(made, `${text}: version ${made['version']}, which is version ${version}`)
    },
  }),
  state: serviceCommand({
    description: 'print what runs remember, or set it',
    args: placeOrRow,
    options: stateOptions,
    help: 'Asks before a state is replaced or forgotten: states have no versions.',
    run: (call, text) => stateOf(call, text),
  }),
  delete: serviceCommand({
    description: 'put a configuration into the trash, delete one that is there, or delete a row',
    args: placeOrRow,
    run: async ({ api, out }, text) => {
      await api.delete(parsePlace(text).self)
      out.show({ deleted: text }, `${text}: deleted`)
    },
  }),
}

const stateOf = async (call: ServiceCall<FlagsOf<typeof stateOptions>>, text: string): Promise<undefined> => {
  const { api, out, shell } = call
  const { set, reset } = call.flags
  if (set !== undefined && reset) throw new UserError('cli.usage', 'Give --set or --reset, not both.')
  const place = parsePlace(text).self
  const given = reset ? {} : set === undefined ? undefined : await readJsonObject(set, shell)
  let state = (await api.get(place, thing))['state'] ?? {}
  if (given !== undefined) {
    const what = `The state of ${text} is ${reset ? 'forgotten' : 'replaced'}, and states have no versions.`
    if (Object.keys(state).length > 0) await confirm(`${what} ${NO_WAY_BACK}`, text, call)
    state = (await api.send('PUT', `${place}/state`, thing, { state: given }))['state'] ?? {}
  }
  out.show(state, JSON.stringify(state, null, 2))
}

const showSchedules = async ({ api, out }: ServiceCall, text: string): Promise<undefined> => {
  const { componentId, configId, rowId } = parsePlace(text)
  if (rowId !== undefined)
    throw new UserError('cli.usage', 'Rows have no schedule of their own: leave out the row.')
  const of = { componentId, configurationId: configId }
  const found = await api.get('/scheduler/schedules', z.array(scheduleBody), of)
  out.show(found, () => {
    if (found.length === 0) return out.line('No schedule.')
    for (const { schedule, nextTimes } of found) {
      out.fields({ schedule: schedule.cronTab, 'time zone': schedule.timezone, state: schedule.state })
      for (const time of nextTimes) out.line(`${formatTime(time)} UTC`)
    }
  })
}

const setDisabled = async (
  { api, out }: ServiceCall,
  text: string,
  isDisabled: boolean,
): Promise<undefined> => {
  const handling = isDisabled ? undefined : 'strict'
  const stored = await api.send('PUT', parsePlace(text).self, thing, { isDisabled }, handling)
  sayWarnings(stored, out)
  out.show(stored, `${text}: ${isDisabled ? 'disabled' : 'enabled'}`)
}
