import * as z from 'zod/mini'
import { runBody, shownStatus } from '../../functions/lib/wire/run-body.ts'
import { segment, wholeNumber } from '../connect/options.ts'
import { serviceOptions } from '../connect/storage-options.ts'
import { argument, type Command, option } from '../shell/command.ts'
import { formatTime } from '../shell/format-values.ts'
import { onService, type ServiceCall } from './on-service.ts'

interface Flags {
  limit: string
  status?: string
  component?: string
  config?: string
}

export const runs: Command = {
  description: 'list runs of configurations, scheduled ones too, or show one',
  args: [argument('[run]', 'id of a run')],
  options: [
    option('--limit <number>', 'at most so many, 100 at once', '20'),
    option('--status <status>', 'only those of this state').choices(runBody.shape.status.options),
    option('--component <id>', 'only those of this component'),
    option('--config <id>', 'only those of this configuration'),
    ...serviceOptions,
  ],
  run: onService<Flags>((call, id?: string) => (id === undefined ? listRuns(call) : showRun(call, id))),
  commands: {
    cancel: {
      description: 'stop a run at its next page; a table that is being loaded is loaded whole',
      args: [argument('<run>', 'id of a run')],
      run: onService(async ({ api, out }, id) => {
        const stopped = await api.send('POST', `runs/${segment(id)}/cancel`, runBody)
        out.show(stopped, () => out.line('Cancelled.'))
        return undefined
      }),
    },
  },
}

const showRun = async ({ api, out }: ServiceCall, id: string): Promise<undefined> => {
  const shown = await api.get(`runs/${segment(id)}`, runBody)
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
}

const listRuns = async ({ api, out, flags }: ServiceCall<Flags>): Promise<undefined> => {
  const { limit, status, component, config } = flags
  const query = { limit: wholeNumber(limit), status, componentId: component, configId: config }
  const found = await api.get('runs', z.array(runBody), query)
  out.show(found, () =>
    out.table(
      ['RUN', 'CONFIGURATION', 'STATUS', 'STARTED', 'SECONDS', 'ROWS', 'TRIGGER', 'REASON'],
      found.map(each => [
        each.id,
        `${each.componentId}/${each.configId}`,
        shownStatus(each),
        formatTime(each.startTime),
        each.durationSeconds,
        each.rowsLoaded,
        each.trigger,
        each.error?.message,
      ]),
    ),
  )
}
