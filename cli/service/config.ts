import type { VoidableDiff } from 'rfc6902/diff.js'
import * as z from 'zod/mini'
import { UserError } from '../../functions/lib/errors/errors.ts'
import { JsonNumber } from '../../functions/lib/json/json-number.ts'
import { isContainer, isNumber, mapFields } from '../../functions/lib/json/json-value.ts'
import { plural } from '../../functions/lib/plural.ts'
import { listedComponentBody } from '../../functions/lib/wire/component-body.ts'
import { configurationBody, versionBody } from '../../functions/lib/wire/configuration-body.ts'
import { readsAll } from '../../functions/lib/wire/reads.ts'
import { rowResult, runBody, runResults } from '../../functions/lib/wire/run-body.ts'
import { followJob } from '../connect/follow-job.ts'
import { segment } from '../connect/options.ts'
import { serviceOptions } from '../connect/storage-options.ts'
import { argument, type Command, option } from '../shell/command.ts'
import { formatTime } from '../shell/format-values.ts'
import { parsePlace, pathOfConfig, pathOfPlace } from './config-place.ts'
import { settingCommands } from './config-settings.ts'
import { trialCommands } from './config-trial.ts'
import { job, lookAtJob } from './job-line.ts'
import { onService, type ServiceCall } from './on-service.ts'
import { readJsonObject } from './read-json.ts'

const configuration = readsAll(configurationBody, {
  id: true,
  name: false,
  version: true,
  isDisabled: true,
  created: false,
  configuration: z.unknown(),
})
const components = z.array(
  readsAll(listedComponentBody, { id: true, configurations: z._default(z.array(configuration), []) }),
)

interface PutFlags {
  name?: string
  message?: string
}

interface DiffFlags {
  from?: string
  to?: string
}

const place = argument('<place>', 'COMPONENT/CONFIGURATION, and /ROW for a row')

export const config: Command = {
  description: 'configurations: list, read, store, compare, check, try and run them',
  options: serviceOptions,
  run: onService(call => listConfigurations(call)),
  commands: {
    get: {
      description: 'print the configuration as JSON; with --json the whole resource',
      args: [place],
      run: onService(async ({ api, out }, text) => {
        const found = await api.get(pathOfPlace(parsePlace(text)), configuration)
        out.show(found, () => out.line(JSON.stringify(found.configuration, null, 2)))
      }),
    },
    put: {
      description: 'store a configuration, made when missing',
      args: [place, argument('<file>', 'its JSON, or - for standard input')],
      options: [
        option('--name <name>', 'its name (default for a new one: its id)'),
        option('--message <text>', 'what changed, for the list of versions'),
      ],
      run: onService<PutFlags>((call, text, file) => put(call, text, file)),
    },
    diff: {
      description: 'what a file would change, or what changed between two versions',
      args: [place, argument('[file]', 'compare what is stored with this file (- for standard input)')],
      options: [
        option('--from <version>', 'older version (default: the one before the last)'),
        option('--to <version>', 'newer version (default: the last)'),
      ],
      run: onService<DiffFlags>((call, text, file?: string) => diff(call, text, file)),
    },
    run: {
      description: 'run a stored configuration now, and wait for its end',
      args: [place],
      run: onService((call, text) => runNow(call, text)),
    },
    ...trialCommands,
    ...settingCommands,
  },
}

const listConfigurations = async ({ api, out }: ServiceCall): Promise<undefined> => {
  const found = await api.get('components', components, { include: 'configuration' })
  const all = found.flatMap(({ id: componentId, configurations }) =>
    configurations.map(each => ({ componentId, ...each })),
  )
  out.show(all, () => {
    if (all.length === 0)
      return out.line('No configurations yet: millrace config put ex-generic-v2/shop FILE')
    out.table(
      ['CONFIGURATION', 'NAME', 'VERSION', 'CREATED', 'STATE'],
      all.map(each => [
        `${each.componentId}/${each.id}`,
        each.name,
        each.version,
        formatTime(each.created),
        each.isDisabled ? 'disabled' : '',
      ]),
    )
  })
  return undefined
}

const put = async (
  { api, out, shell, flags: { name, message } }: ServiceCall<PutFlags>,
  text: string,
  file: string,
): Promise<undefined> => {
  const place = parsePlace(text)
  const body = {
    configuration: await readJsonObject(file, shell),
    ...(name !== undefined && { name }),
    ...(message !== undefined && { changeDescription: message }),
  }
  const stored = await api.send('PUT', pathOfPlace(place), configuration, body).catch((error: unknown) => {
    const isMissing = error instanceof UserError && error.status === 404
    if (!isMissing) throw error
    const { componentId, configId, rowId } = place
    if (rowId !== undefined)
      return api.send('POST', `${pathOfConfig(place)}/rows`, configuration, { rowId, name: rowId, ...body })
    const made = { configurationId: configId, name: configId, ...body }
    return api.send('POST', `components/${segment(componentId)}/configs`, configuration, made)
  })
  out.show(stored, () => out.line(`${text}: version ${stored.version}`))
  return undefined
}

const diff = async (
  { api, out, shell, flags: { from, to } }: ServiceCall<DiffFlags>,
  text: string,
  file: string | undefined,
): Promise<undefined> => {
  const place = parsePlace(text)
  const show = async (before: unknown, after: unknown) => {
    const { createPatch } = await import('rfc6902')
    const changes = patch.parse(createPatch(before, after, diffNumbers))
    const shown = changes.map(withoutSecret)
    out.show(shown, () => {
      if (shown.length === 0) return out.line('No difference.')
      for (const { line, style } of describeChanges(shown, withoutSecrets(before))) out.line(line, style)
    })
    return undefined
  }
  if (file !== undefined) {
    if (from !== undefined || to !== undefined)
      throw new UserError('cli.usage', 'Compare with a file or between versions, not both.')
    const stored = await api.get(pathOfPlace(place), configuration)
    return show(stored.configuration, await readJsonObject(file, shell))
  }
  if (place.rowId !== undefined)
    throw new UserError('cli.usage', 'Versions are those of the whole configuration: leave out the row.')
  const { version } = await api.get(pathOfConfig(place), configuration)
  const newer = to ?? String(version)
  const older = from ?? String(Math.max(1, Number(newer) - 1))
  const path = `${pathOfConfig(place)}/versions`
  const [before, after] = await Promise.all(
    [older, newer].map(async number => comparable(await api.get(`${path}/${segment(number)}`, versionBody))),
  )
  return show(before, after)
}

/** Numbers are other ones when their digits are; all else is compared as it is by default. */
const diffNumbers: VoidableDiff = (before, after, place) => {
  if (!(before instanceof JsonNumber || after instanceof JsonNumber)) return undefined
  const isSame = isNumber(before) && isNumber(after) && `${before}` === `${after}`
  return isSame ? [] : [{ op: 'replace', path: place.toString(), value: after }]
}

/** The operations that turn one version into another, as a JSON patch (RFC 6902). */
const patch = z.array(
  z.object({
    op: z.enum(['add', 'remove', 'replace', 'move', 'copy', 'test']),
    path: z.string(),
    value: z.optional(z.unknown()),
  }),
)

/**
 * Only what people set. Who set it and when always differs. Rows are an object by id, so that an added row does not look
 * like a change of all rows after it.
 */
const comparable = ({
  name,
  description,
  configuration,
  isDisabled,
  isDeleted,
  rowsSortOrder,
  rows,
}: z.infer<typeof versionBody>) => ({
  ...{ name, description, configuration, isDisabled, isDeleted, rowsSortOrder },
  rows: Object.fromEntries(
    rows.map(row => [
      row.id,
      {
        name: row.name,
        description: row.description,
        configuration: row.configuration,
        isDisabled: row.isDisabled,
      },
    ]),
  ),
})

const results = readsAll(runResults, {
  rowsLoaded: true,
  requests: true,
  rows: z.array(readsAll(rowResult, { name: false, status: z.string(), rowsLoaded: true, seconds: false })),
})

const runNow = async ({ api, out, shell }: ServiceCall, text: string): Promise<number> => {
  const started = await api.send('POST', `${pathOfConfig(parsePlace(text))}/run`, job)
  out.say(`job ${started.id}`)
  const ended = await followJob(started, lookAtJob(api), {
    what: `The run of ${text}`,
    shell,
    describe: async () => {
      const { progress } = await api.get(`runs/run-${started.id}`, runBody)
      if (!progress) return undefined
      const { pages, rows, waitedSeconds } = progress
      return [
        plural(pages, 'page'),
        plural(rows, 'row'),
        ...(waitedSeconds > 0 ? [`waited ${waitedSeconds} s`] : []),
      ].join(', ')
    },
  })
  const { data: run } = results.safeParse(ended.results)
  out.show(ended, () => {
    if (ended.status === 'error')
      return out.line(`failed: ${ended.error?.message ?? 'no reason is known'}`, 'red')
    if (!run) return out.line('done', 'green')
    out.table(
      ['ROW', 'STATUS', 'ROWS', 'SECONDS'],
      run.rows.map(row => [row.name ?? '', row.status, row.rowsLoaded, row.seconds]),
    )
    out.line(`${plural(run.rowsLoaded, 'row')} loaded after ${plural(run.requests, 'request')}`, 'green')
  })
  return ended.status === 'success' ? 0 : 1
}

interface ChangeLine {
  line: string
  style: 'green' | 'red' | 'yellow'
}

/** One line for each change: `+` added, `-` removed, `~` replaced. */
const describeChanges = (changes: z.infer<typeof patch>, before: unknown): ChangeLine[] =>
  changes.map(({ op, path, value }) => {
    const was = JSON.stringify(valueAt(before, path))
    if (op === 'add') return { line: `+ ${path}: ${JSON.stringify(value)}`, style: 'green' }
    if (op === 'remove') return { line: `- ${path}${was === undefined ? '' : `: ${was}`}`, style: 'red' }
    const now = JSON.stringify(value)
    const isHidden = was === undefined || was === now
    return { line: `~ ${path}: ${isHidden ? now : `${was} -> ${now}`}`, style: 'yellow' }
  })

/** JSON pointer (RFC 6901). `undefined` where there is nothing. */
const valueAt = (document: unknown, pointer: string): unknown =>
  pointer
    .split('/')
    .slice(1)
    .map(part => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>(
      (value, part) =>
        typeof value === 'object' && value !== null && Object.hasOwn(value, part)
          ? (value as Record<string, unknown>)[part] // An object has such a property; it was asked above.
          : undefined,
      document,
    )

const HIDDEN = '(secret)'

/** The document without the values of keys that begin with `#`, which are secrets, in clear or sealed. */
const withoutSecrets = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withoutSecrets)
  return isContainer(value)
    ? mapFields(value, (item, key) => (key.startsWith('#') ? HIDDEN : withoutSecrets(item)))
    : value
}

/** The same of one change of a document (RFC 6902). */
const withoutSecret = <Change extends { path: string; value?: unknown }>(change: Change): Change => {
  if (change.value === undefined) return change
  const isSecret = change.path.split('/').some(part => part.startsWith('#'))
  return { ...change, value: isSecret ? HIDDEN : withoutSecrets(change.value) }
}
