import * as z from 'zod/mini'
import { runBody, shownStatus } from '../../functions/lib/wire/run-body.ts'
import { path } from '../connect/api.ts'
import { type ServiceCall, serviceCommand, serviceOptions } from '../connect/service-command.ts'
import { type FlagsOf, number, option } from '../shell/command.ts'
import { formatTime } from '../shell/format-values.ts'

const options = {
  limit: number('<number>', 'at most so many, 100 at once', 20),
  status: option('<status>', 'only those of this state', { choices: runBody.shape.status.options }),
  component: option('<id>', 'only those of this component'),
  config: option('<id>', 'only those of this configuration'),
  ...serviceOptions,
}

export const runs = serviceCommand({
  description: 'list runs of configurations, scheduled ones too, or show one',
  args: { '[run]': 'id of a run' },
  options,
  run: (call, id?: string) => (id === undefined ? listRuns(call) : showRun(call, id)),
  commands: {
    cancel: serviceCommand({
      description: 'stop a run at its next page; a table that is being loaded is loaded whole',
      args: { '<run>': 'id of a run' },
      run: async ({ api, out }, id) => {
        out.show(await api.send('POST', path`runs/${id}/cancel`, runBody), 'Cancelled.')
      },
    }),
  },
})

const showRun = async ({ api, out }: ServiceCall, id: string): Promise<undefined> => {
  const shown = await api.get(path`runs/${id}`, runBody)
  out.show(shown, () => {
    out.fields({
      run: shown.id,
      configuration: `${shown.componentId}/${shown.configId}`,
      trigger: shown.trigger,
      status: shown.status,
      started: formatTime(shown.startTime),
      ended: formatTime(shown.endTime),
      seconds: shown.durationSeconds,
      rows: shown.rowsLoaded,
      requests: shown.requests,
      code: shown.error?.code,
      reason: shown.error?.message,
    })
    if (shown.results) out.line(JSON.stringify(shown.results, null, 2))
  })
}

const listRuns = async ({ api, out, flags }: ServiceCall<FlagsOf<typeof options>>): Promise<undefined> => {
  const { limit, status, component, config } = flags
  const query = { limit, status, componentId: component, configId: config }
  out.list(await api.get('runs', z.array(runBody), query), {
    RUN: each => each.id,
    CONFIGURATION: each => `${each.componentId}/${each.configId}`,
    STATUS: shownStatus,
    STARTED: each => formatTime(each.startTime),
    SECONDS: each => each.durationSeconds,
    ROWS: each => each.rowsLoaded,
    TRIGGER: each => each.trigger,
    REASON: each => each.error?.message,
  })
}
