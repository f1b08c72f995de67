import { UserError } from '../../functions/lib/errors/errors.ts'
import { missingSections } from '../../functions/lib/extractor/config/component-config.ts'
import { previewResult } from '../../functions/lib/extractor/run/preview-schemas.ts'
import { plural } from '../../functions/lib/plural.ts'
import {
  belowService,
  type ServiceCall,
  type ServiceFlags,
  serviceCommand,
} from '../connect/service-command.ts'
import { type Call, type Command, type FlagsOf, flag, number } from '../shell/command.ts'
import { readJsonObject } from '../shell/read-json.ts'
import { parsePlace, placeOrRow } from './config-place.ts'

const previewOptions = {
  rows: number('<number>', 'so many rows of each job', 10),
  requests: flag('show each request and its answer'),
}

const validate = async ({ out, shell }: Call<ServiceFlags>, name: string): Promise<number> => {
  const configuration = await readJsonObject(name, shell)
  const { checkConfiguration } = await import('../../functions/lib/extractor/run/check-configuration.ts')
  const { readConfigurationSchedule } = await import(
    '../../functions/lib/schedules/configuration-schedule.ts'
  )
  let mistake: UserError | undefined
  try {
    readConfigurationSchedule(configuration['schedule'], '')
    mistake = checkConfiguration(configuration)
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    mistake = error
  }
  // A root whose rows bring the rest is no mistake, so this is a warning.
  const missing = mistake ? [] : missingSections(configuration)
  const warnings =
    missing.length === 0
      ? []
      : [`It cannot run by itself, unless rows bring what it lacks: ${missing.join(' and ')}.`]
  const error = mistake ? { code: mistake.code, message: mistake.message } : null
  out.show([{ name, isValid: error === null, warnings, error }], () => {
    out.line(`${name}: ${error?.message ?? 'valid'}`, error ? 'red' : 'green')
    for (const warning of warnings) out.line(`  ${warning}`, 'yellow')
  })
  return error === null ? 0 : 1
}

export const trialCommands: Readonly<Record<string, Command>> = {
  validate: belowService({
    description: 'check the extraction of a file as a run would, without any service',
    args: { '<file>': 'its JSON, or - for standard input' },
    run: validate,
  }),
  preview: serviceCommand({
    description:
      'extract a few rows of each job with the sealed secrets, and print the tables; store nothing',
    args: placeOrRow,
    options: previewOptions,
    run: (call, place) => preview(call, place),
  }),
}

const preview = async (
  { api, flags, out }: ServiceCall<FlagsOf<typeof previewOptions>>,
  place: string,
): Promise<number> => {
  const { root, rowId } = parsePlace(place)
  const shown = await api.send('POST', `${root}/preview`, previewResult, { rows: flags.rows, rowId })
  out.show(shown, () => {
    const { log, exchanges, tables, stoppedBy, error } = shown
    for (const { level, message } of log) out.say(level === 'info' ? message : `${level}: ${message}`)
    for (const { request, response, failure } of exchanges) {
      out.line(`${request.method} ${request.url}  ${response?.status ?? failure}`, 'bold')
      if (!flags.requests) continue
      if (request.body !== '') out.line(request.body)
      if (response !== null) out.line(response.body + (response.isBodyCut ? '…' : ''))
    }
    for (const { name, rowsCount, columns, rows } of tables) {
      out.line(`${name} (${plural(rowsCount, 'row')})`, 'bold')
      out.table(columns, rows)
    }
    if (stoppedBy !== null) out.line(`Stopped: the limit of ${stoppedBy} of a preview is reached.`, 'yellow')
    if (error !== null) out.line(error.message, 'red')
  })
  return shown.error === null && shown.stoppedBy === null ? 0 : 1
}
