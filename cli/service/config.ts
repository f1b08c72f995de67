import * as z from 'zod/mini'
import { UserError } from '../../functions/lib/errors/errors.ts'
import { plural } from '../../functions/lib/plural.ts'
import { runBody } from '../../functions/lib/wire/run-body.ts'
import { path, type Thing, thing, things } from '../connect/api.ts'
import { followJob } from '../connect/follow-job.ts'
import { type ServiceCall, serviceCommand, serviceOptions } from '../connect/service-command.ts'
import { type FlagsOf, flag, option } from '../shell/command.ts'
import { timeAt } from '../shell/format-values.ts'
import { readJsonObject } from '../shell/read-json.ts'
import { parsePlace, placeOrRow, sayWarnings } from './config-place.ts'
import { settingCommands } from './config-settings.ts'
import { trialCommands } from './config-trial.ts'
import { job, lookAtJob, sayFailed } from './jobs.ts'

const components = z.array(z.looseObject({ id: z.string(), configurations: z._default(things, []) }))

const putOptions = {
  name: option('<name>', 'its name (default for a new one: its id)'),
  message: option('<text>', 'what changed, for the list of versions'),
  force: flag('store what cannot run, as a draft: it has no schedule'),
}

export const config = serviceCommand({
  description: 'configurations: list, read, store, compare, check, try and run them',
  options: serviceOptions,
  run: async ({ api, out }) => {
    const found = await api.get('components', components, { include: 'configuration' })
    out.list(
      found.flatMap(({ id: componentId, configurations }) =>
        configurations.map((each): Thing => ({ componentId, ...each })),
      ),
      {
        CONFIGURATION: each => `${each['componentId']}/${each['id']}`,
        NAME: 'name',
        VERSION: 'version',
        CREATED: timeAt('created'),
        STATE: each => (each['isDisabled'] ? 'disabled' : ''),
      },
      'No configurations yet: millrace config put ex-generic-v2/shop FILE',
    )
  },
  commands: {
    get: serviceCommand({
      description: 'print the configuration as JSON; with --json the whole resource',
      args: placeOrRow,
      run: async ({ api, out }, text) => {
        const found = await api.get(parsePlace(text).self, thing)
        out.show(found, JSON.stringify(found['configuration'], null, 2))
      },
    }),
    put: serviceCommand({
      description: 'store a configuration, made when missing',
      args: { ...placeOrRow, '<file>': 'its JSON, or - for standard input' },
      options: putOptions,
      run: (call, text, file) => put(call, text, file),
    }),
    run: serviceCommand({
      description: 'run a stored configuration now, and wait for its end',
      args: placeOrRow,
      run: (call, text) => runNow(call, text),
    }),
    ...trialCommands,
    ...settingCommands,
  },
})

const put = async (
  { api, out, shell, flags: { name, message, force } }: ServiceCall<FlagsOf<typeof putOptions>>,
  text: string,
  file: string,
): Promise<undefined> => {
  const { componentId, configId, rowId, root, self } = parsePlace(text)
  const configuration = await readJsonObject(file, shell)
  const body = {
    configuration,
    ...(name !== undefined && { name }),
    ...(message !== undefined && { changeDescription: message }),
  }
  const send = (method: 'PUT' | 'POST', at: string, fields: object) =>
    api.send(method, at, thing, { ...fields, ...body }, force ? 'lenient' : 'strict')
  const result = await send('PUT', self, {})
    .catch((error: unknown) => {
      if (!(error instanceof UserError) || error.status !== 404) throw error
      if (rowId !== undefined) return send('POST', `${root}/rows`, { rowId, name: rowId })
      const made = { configurationId: configId, name: configId }
      return send('POST', path`components/${componentId}/configs`, made)
    })
    .catch((error: unknown) => {
      throw adviseToForce(error)
    })
  sayWarnings(result, out)
  out.show(result, `${text}: version ${result['version']}`)
}

const adviseToForce = (error: unknown): unknown => {
  if (!(error instanceof UserError) || !error.code.startsWith('extractor.')) return error
  const message = `${error.message}\nNothing was stored. --force stores it as a draft, which has no schedule.`
  return new UserError(error.code, message, { status: error.status, cause: error })
}

const results = z.object({ rowsLoaded: z.number(), requests: z.number(), rows: things })

const runNow = async ({ api, out, shell }: ServiceCall, text: string): Promise<number> => {
  const started = await api.send('POST', `${parsePlace(text).root}/run`, job)
  out.say(`job ${started.id}`)
  const ended = await followJob(started, lookAtJob(api), {
    what: `The run of ${text}`,
    shell,
    describe: async () => {
      const { progress } = await api.get(`runs/run-${started.id}`, runBody)
      if (!progress) return undefined
      const { pages, rows, waitedSeconds } = progress
      const waited = waitedSeconds > 0 ? `, waited ${waitedSeconds} s` : ''
      return `${plural(pages, 'page')}, ${plural(rows, 'row')}${waited}`
    },
  })
  const { data: run } = results.safeParse(ended.results)
  out.show(ended, () => {
    if (ended.status === 'error') return sayFailed(ended, out)
    if (!run) return out.line('done', 'green')
    out.list(run.rows, { ROW: 'name', STATUS: 'status', ROWS: 'rowsLoaded', SECONDS: 'seconds' })
    out.line(`${plural(run.rowsLoaded, 'row')} loaded after ${plural(run.requests, 'request')}`, 'green')
  })
  return ended.status === 'success' ? 0 : 1
}
