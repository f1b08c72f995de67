import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { UserError } from '../../functions/lib/errors/errors.ts'
import { missingSections } from '../../functions/lib/extractor/config/missing-sections.ts'
import { wholeNumber } from '../connect/options.ts'
import type { ServiceFlags } from '../connect/storage-options.ts'
import { argument, type Call, type Command, listOption, option } from '../shell/command.ts'
import { isStoredPlace, readUnits, sealedNames, withSecrets } from './config-units.ts'

interface TrialFlags extends ServiceFlags {
  secret?: string[]
  rows?: string
  requests?: boolean
}

const source = argument(
  '<source>',
  'a file, - for standard input, or COMPONENT/CONFIGURATION[/ROW] as it is stored',
)

/** They need no service when they are given a file. */
export const trialCommands: Readonly<Record<string, Command>> = {
  validate: {
    description: 'check an extraction as a run would, without sending anything',
    args: [source],
    run: (call, given) => validate(call, given),
  },
  preview: {
    description: 'extract a few rows of each job and print the tables; store nothing',
    args: [source],
    options: [
      option('--rows <number>', 'so many rows of each job', '10'),
      option('--requests', 'of a stored configuration: show each request and its answer'),
      listOption('--secret <#name=value>', 'in place of a secret that is stored sealed'),
    ],
    run: (call: Call<TrialFlags>, given: string) => preview(call, given),
  },
}

const validate = async (call: Call<TrialFlags>, source: string): Promise<number> => {
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
      out.line(`${name}: ${error === null ? 'valid' : error.message}`, error === null ? 'green' : 'red')
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

const preview = async (call: Call<TrialFlags>, source: string): Promise<number> => {
  const rows = wholeNumber(call.flags.rows ?? '10')
  if (call.flags.secret === undefined && isStoredPlace(source, call.shell)) {
    const { previewOnService } = await import('./stored-preview.ts')
    return previewOnService(call, { place: source, rows, showsRequests: call.flags.requests === true })
  }
  const { extract } = await import('../../functions/lib/extractor/run/extract.ts')
  const { previewTables } = await import('../shell/preview-tables.ts')
  const { flags, out } = call
  const units = (await readUnits(source, call)).map(unit => withSecrets(unit, flags.secret ?? []))
  const shown: { name: string; rows: string[][] }[] = []
  for (const { configuration } of units) {
    const sealed = sealedNames(configuration)
    if (sealed.length > 0)
      throw new UserError(
        'secrets.notOpened',
        `Only the storage service can open ${sealed.join(', ')}. Give ${sealed.map(each => `--secret '${each}=…'`).join(' ')}.`,
      )
    const folder = await mkdtemp(join(tmpdir(), 'millrace-preview-'))
    try {
      const result = await extract({
        config: configuration,
        outDir: join(folder, 'tables'),
        spoolDir: join(folder, 'spool'),
        now: () => Date.now() / 1000,
        graceSeconds: 0,
        guard: false,
        maxRows: rows,
        log: ({ level, message }) => out.say(level === 'info' ? message : `${level}: ${message}`),
      })
      if (!result.finished) throw new Error('The extraction was stopped before its end')
      if (!out.isJson) out.line(await previewTables(result.tables))
      else
        for (const table of result.tables) shown.push({ name: table.name, rows: await readRows(table.file) })
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  }
  if (out.isJson) out.show(shown, () => {})
  return 0
}

/** The first row holds the names of the columns. */
const readRows = async (file: string): Promise<string[][]> => {
  const { parse } = await import('csv-parse/sync')
  return parse(await readFile(file, 'utf8'), { relax_column_count: true, skip_empty_lines: true })
}
