import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { UserError } from '../functions/lib/errors/errors.ts'
import type { JsonObject } from '../functions/lib/json/json-value.ts'
import type { Loss } from '../functions/lib/onboarding/import/report.ts'
import { plural } from '../functions/lib/plural.ts'
import { jsonOption } from './connect/storage-options.ts'
import { draftFile, secretNames, withoutValues, writeDraft } from './init/write-draft.ts'
import { readJsonObject } from './service/read-json.ts'
import { argument, type Call, type Command, option } from './shell/command.ts'
import { pathIn } from './shell/shell.ts'

interface Flags {
  acceptLosses?: boolean
  try?: boolean
  from?: string
  settings?: string
  bucket?: string
  secrets?: boolean
}

/** `millrace import-config` (docs/import-config.md). */
export const importConfig: Command = {
  description: 'make a configuration of one of Airbyte, dlt or Meltano, and say what is not taken over',
  args: [
    argument('<file>', 'a declarative manifest, a rest_api dictionary as JSON, or meltano.yml'),
    argument('[datadir]', 'folder for config.json and its report; default: this one'),
  ],
  options: [
    option('--from <format>', 'airbyte, dlt or meltano; default: as the file looks').choices([
      'airbyte',
      'dlt',
      'meltano',
    ]),
    option(
      '--settings <file>',
      'values that the configuration asks for, as JSON: secrets, names in addresses',
    ),
    option('--bucket <name>', 'bucket of the tables; default: named after the host'),
    option('--accept-losses', 'write config.json although rows would not be read'),
    option('--try', 'ask the API for one page of each stream, with the values of --settings'),
    option('--no-secrets', 'leave the values of secrets empty in config.json'),
    jsonOption,
  ],
  run: async ({ flags, shell, out }: Call<Flags>, source: string, dataDir?: string) => {
    const { importConfiguration } = await import('../functions/lib/onboarding/import/import-configuration.ts')
    const { checkConfiguration } = await import('../functions/lib/extractor/run/check-configuration.ts')
    const file = draftFile(dataDir, shell)
    const report = join(file, '..', 'import-report.md')
    const imported = importConfiguration(await readFile(pathIn(shell, source), 'utf8'), {
      format: flags.from,
      settings: flags.settings === undefined ? {} : settingsOf(await readJsonObject(flags.settings, shell)),
      bucket: flags.bucket,
    })
    const { format, draft, losses } = imported
    await writeReport(report, reportOf(source, format, losses))
    const ofRows = losses.filter(({ level }) => level === 'rows')
    if (draft === undefined) throw imported.problem
    if (ofRows.length > 0 && flags.acceptLosses !== true)
      throw new UserError(
        'cli.usage',
        `Rows would not be read, at ${plural(ofRows.length, 'place')}:\n${ofRows.map(({ path, why }) => `  ${path}: ${why}`).join('\n')}\n${report} has the list. With --accept-losses config.json is written without them.`,
        { params: { losses } },
      )
    const { config } = draft.parameters
    const kept =
      flags.secrets === false ? { parameters: { ...draft.parameters, config: withoutValues(config) } } : draft
    await writeDraft(file, kept)
    let warnings: string[]
    try {
      warnings = checkConfiguration({ ...kept })
    } catch (error) {
      if (!(error instanceof UserError)) throw error
      throw new UserError(
        error.code,
        `${file} has what was made of ${source}. It cannot run yet. ${error.message}`,
        {
          cause: error,
        },
      )
    }
    const tried = flags.try === true ? await (await import('./try-streams.ts')).tryStreams(kept) : []
    const empty = [...secretNames(kept.parameters.config), ...Object.keys(kept.parameters.config)].filter(
      (name, index, all) => kept.parameters.config[name] === '' && all.indexOf(name) === index,
    )
    out.show({ file, report, format, jobs: config.jobs.length, losses, empty, warnings, tried }, () => {
      out.line(`${file}: valid, ${plural(config.jobs.length, 'job')}, from ${format}.`, 'green')
      const shown = losses.filter(({ level }) => level !== 'none')
      for (const { path, why, level } of shown) out.line(`  ${levels[level]}: ${path}: ${why}`, 'yellow')
      for (const { job, rows, problem } of tried)
        out.line(`  ${job}: ${problem ?? plural(rows, 'row')}`, problem === undefined ? 'green' : 'red')
      for (const warning of warnings) out.line(`  ${warning}`, 'yellow')
      if (empty.length > 0) out.line(`  To be filled in: ${empty.join(', ')}.`)
      const list = shown.length > 0 ? 'the same list' : 'nothing that matters is left out'
      out.line(`${report}: ${list}. Look next with: millrace extract ${dataDir ?? '.'} --plan`)
    })
    return 0
  },
}

/** What was read as JSON. */
const settingsOf = (given: Record<string, unknown>): JsonObject => given as JsonObject

const levels = { rows: 'rows are lost', asks: 'asked differently', none: 'does not matter' } as const

const reportOf = (source: string, format: string, losses: readonly Loss[]): string =>
  [
    `# What was not taken over from ${source} (${format})`,
    '',
    ...(losses.length === 0 ? ['Nothing: all of it is in config.json.', ''] : []),
    ...(['rows', 'asks', 'none'] as const).flatMap(level => {
      const lines = losses
        .filter(loss => loss.level === level)
        .map(({ path, why }) => `- \`${path}\`: ${why}`)
      return lines.length === 0 ? [] : [`## ${levels[level]}`, '', ...lines, '']
    }),
  ].join('\n')

const writeReport = async (report: string, text: string): Promise<void> => {
  await mkdir(dirname(report), { recursive: true })
  await writeFile(report, text)
}
