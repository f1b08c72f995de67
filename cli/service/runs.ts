import type { Command } from 'commander'
import { z } from 'zod'
import { formatTime } from '../output/format-values.ts'
import { addServiceOptions, type ServiceFlags } from '../storage-options.ts'
import { segment, wholeNumber } from './options.ts'
import { run } from './run-line.ts'
import { runOnService } from './run-on-service.ts'

interface Flags extends ServiceFlags {
  limit: string
  status?: string
  component?: string
  config?: string
}

export const registerRuns = (program: Command): void => {
  addServiceOptions(program.command('runs'))
    .description('list runs of configurations, scheduled ones too, or show one')
    .argument('[run]', 'id of a run')
    .option('--limit <number>', 'at most so many, 100 at once', '20')
    .option('--status <status>', 'only processing, success or error')
    .option('--component <id>', 'only those of this component')
    .option('--config <id>', 'only those of this configuration')
    .action((id: string | undefined, flags: Flags) =>
      runOnService(flags, async ({ api, out }) => {
        if (id !== undefined) {
          const shown = await api.get(`runs/${segment(id)}`, run)
          out.show(shown, () => {
            const { results: _, error, ...fields } = shown
            out.fields({
              run: fields.id,
              configuration: `${fields.componentId}/${fields.configId}`,
              trigger: fields.trigger,
              status: fields.status,
              started: formatTime(fields.startTime),
              ended: formatTime(fields.endTime),
              seconds: fields.durationSeconds,
              rows: fields.rowsLoaded,
              requests: fields.requests,
              code: error?.code,
              reason: error?.message,
            })
            if (shown.results) out.line(JSON.stringify(shown.results, null, 2))
          })
          return undefined
        }
        const { limit, status, component, config } = flags
        const query = { limit: wholeNumber(limit), status, componentId: component, configId: config }
        const runs = await api.get('runs', z.array(run), query)
        out.show(runs, () =>
          out.table(
            ['RUN', 'CONFIGURATION', 'STATUS', 'STARTED', 'SECONDS', 'ROWS', 'TRIGGER', 'REASON'],
            runs.map(each => [
              each.id,
              `${each.componentId}/${each.configId}`,
              each.status,
              formatTime(each.startTime),
              each.durationSeconds,
              each.rowsLoaded,
              each.trigger,
              each.error?.message,
            ]),
          ),
        )
        return undefined
      }),
    )
}
