import { UserError } from '../../functions/lib/errors/errors.ts'
import { missingSections } from '../../functions/lib/extractor/config/check-shape.ts'
import { belowService, type ServiceFlags } from '../connect/service-command.ts'
import { type Call, type Command, flag, listOption, number } from '../shell/command.ts'

const args = {
  '<source>': 'a file, - for standard input, or COMPONENT/CONFIGURATION[/ROW] as it is stored',
}

/** They need no service when they are given a file. */
export const trialCommands: Readonly<Record<string, Command>> = {
  validate: belowService({
    description: 'check an extraction as a run would, without sending anything',
    args,
    run: (call, source) => validate(call, source),
  }),
  preview: belowService({
    description: 'extract a few rows of each job and print the tables; store nothing',
    args,
    options: {
      rows: number('<number>', 'so many rows of each job', 10),
      requests: flag('of a stored configuration: show each request and its answer'),
      secret: listOption('<#name=value>', 'in place of a secret that is stored sealed'),
    },
    run: async (call, source) => {
      const { previewConfig } = await import('./preview-config.ts')
      return previewConfig(call, source)
    },
  }),
}

const validate = async (call: Call<ServiceFlags>, source: string): Promise<number> => {
  const { readUnits } = await import('./config-units.ts')
  const { checkConfiguration } = await import('../../functions/lib/extractor/run/check-configuration.ts')
  const { readConfigurationSchedule } = await import(
    '../../functions/lib/schedules/configuration-schedule.ts'
  )
  const verdicts = (await readUnits(source, call)).map(({ name, configuration }) => {
    try {
      readConfigurationSchedule(configuration['schedule'], 0)
      const [problem] = checkConfiguration(configuration)
      if (problem !== undefined) throw new UserError('extractor.config.invalid', problem)
      return { name, isValid: true, warnings: saidMissing(missingSections(configuration)), error: null }
    } catch (error) {
      if (!(error instanceof UserError)) throw error
      return { name, isValid: false, warnings: [], error: { code: error.code, message: error.message } }
    }
  })
  const { out } = call
  out.show(verdicts, () => {
    for (const { name, warnings, error } of verdicts) {
      out.line(`${name}: ${error?.message ?? 'valid'}`, error ? 'red' : 'green')
      for (const warning of warnings) out.line(`  ${warning}`, 'yellow')
    }
  })
  return verdicts.every(({ isValid }) => isValid) ? 0 : 1
}

/** A root whose rows bring the rest is no mistake, so this is a warning. */
const saidMissing = (missing: readonly string[]): string[] =>
  missing.length === 0
    ? []
    : [`It cannot run by itself, unless rows bring what it lacks: ${missing.join(' and ')}.`]
