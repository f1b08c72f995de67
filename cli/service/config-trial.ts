import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Command } from 'commander'
import { UserError } from '../../functions/lib/errors/errors.ts'
import { createOutput, type Output } from '../output/output.ts'
import { sayError } from '../output/say-error.ts'
import type { ServiceFlags } from '../storage-options.ts'
import { readUnits, sealedNames, withSecrets } from './config-units.ts'
import { collect, wholeNumber } from './options.ts'
import { flagsOf } from './run-on-service.ts'

interface TrialFlags extends ServiceFlags {
  secret?: string[]
  rows?: string
}

/** `config validate|plan|preview`: they need no service when they are given a file. */
export const registerTrialCommands = (config: Command): void => {
  const trial = (
    name: string,
    description: string,
    work: (source: string, flags: TrialFlags, out: Output) => Promise<number>,
  ) =>
    config
      .command(name)
      .description(description)
      .argument('<source>', 'a file, - for standard input, or COMPONENT/CONFIGURATION[/ROW] as it is stored')
      .action(async (source: string, _flags: object, command: Command) => {
        const flags = flagsOf<TrialFlags>(command)
        try {
          process.exitCode = await work(source, flags, createOutput(flags.json === true))
        } catch (error) {
          process.exitCode = sayError(error)
        }
      })
  trial('validate', 'check an extraction as a run would, without sending anything', validate)
  trial('plan', 'show the first request of each job, and where each value comes from; send nothing', plan)
  trial('preview', 'extract a few rows of each job and print the tables; store nothing', preview)
    .option('--rows <number>', 'so many rows of each job', '10')
    .option(
      '--secret <#name=value>',
      'in place of a secret that is stored sealed; may be given again',
      collect,
    )
}

const validate = async (source: string, flags: TrialFlags, out: Output): Promise<number> => {
  const { checkConfiguration } = await import('../../functions/lib/extractor/config/check-configuration.ts')
  const verdicts = (await readUnits(source, flags)).map(({ name, configuration }) => {
    try {
      return { name, isValid: true, warnings: checkConfiguration(configuration), error: null }
    } catch (error) {
      if (!(error instanceof UserError)) throw error
      return { name, isValid: false, warnings: [], error: { code: error.code, message: error.message } }
    }
  })
  out.show(verdicts, () => {
    for (const { name, warnings, error } of verdicts) {
      out.line(`${name}: ${error === null ? 'valid' : error.message}`, error === null ? 'green' : 'red')
      for (const warning of warnings) out.line(`  ${warning}`, 'yellow')
    }
  })
  return verdicts.every(({ isValid }) => isValid) ? 0 : 1
}

const plan = async (source: string, flags: TrialFlags, out: Output): Promise<number> => {
  const { describePlan } = await import('../../functions/lib/extractor/runner/describe-plan.ts')
  const units = await readUnits(source, flags)
  const plans = await Promise.all(
    units.map(async ({ name, configuration }) => ({
      name,
      plan: await describePlan({ config: configuration, now: () => Date.now() / 1000 }),
    })),
  )
  out.show(plans, () => {
    for (const { name, plan: text } of plans) {
      if (plans.length > 1) out.line(name, 'bold')
      out.line(text)
    }
  })
  return 0
}

const preview = async (source: string, flags: TrialFlags, out: Output): Promise<number> => {
  const { extract } = await import('../../functions/lib/extractor/extract.ts')
  const { previewTables } = await import('../preview-tables.ts')
  const units = (await readUnits(source, flags)).map(unit => withSecrets(unit, flags.secret ?? []))
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
        maxRows: wholeNumber(flags.rows ?? '10'),
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
