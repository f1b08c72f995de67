import * as z from 'zod/mini'
import { UserError } from '../../functions/lib/errors/errors.ts'
import { isObject } from '../../functions/lib/json/json-value.ts'
import { plural } from '../../functions/lib/plural.ts'
import { runBody, shownStatus } from '../../functions/lib/wire/run-body.ts'
import { bucketBody } from '../../functions/lib/wire/table-body.ts'
import { path, type Thing, thing, things } from '../connect/api.ts'
import { serviceCommand, serviceOptions } from '../connect/service-command.ts'
import { confirm, NO_WAY_BACK, yesOption } from '../shell/ask.ts'
import { flag, listOption, number, option } from '../shell/command.ts'
import { bytesAt, fieldAt, idAt, timeAt } from '../shell/format-values.ts'

/* Commands that say a path of the API, and what of its answer people read. */

const limit = number('<number>', 'at most so many', 20)

export const buckets = serviceCommand({
  description: 'list buckets, which hold tables',
  options: serviceOptions,
  run: async ({ api, out }) =>
    out.list(
      await api.get('buckets', things),
      {
        BUCKET: 'id',
        NAME: 'displayName',
        ROWS: 'rowsCount',
        SIZE: bytesAt('dataSizeBytes'),
        CHANGED: timeAt('lastChangeDate'),
        DESCRIPTION: 'description',
      },
      'No buckets yet: the first table makes one, or millrace buckets create main',
    ),
  commands: {
    create: serviceCommand({
      description: 'make a bucket',
      args: { '<name>': 'main, for in.c-main' },
      options: {
        stage: option('<stage>', 'before its name', {
          choices: bucketBody.shape.stage.options,
          byDefault: 'in',
        }),
        description: option('<text>', 'what it is for'),
      },
      run: async ({ api, out, flags: { stage, description } }, name) => {
        const made = await api.send('POST', 'buckets', thing, { name, stage, description })
        out.show(made, `${made['id']}: made`)
      },
    }),
    delete: serviceCommand({
      description: 'delete a bucket',
      args: { '<bucket>': 'id of a bucket, such as in.c-main' },
      options: { force: flag('its tables too'), yes: yesOption },
      run: async (call, id) => {
        const { api, out, flags } = call
        const { tables } = await api.get(path`buckets/${id}`, z.object({ tables: z.array(z.unknown()) }))
        const held = plural(tables.length, 'table')
        if (tables.length > 0 && !flags.force)
          throw new UserError('cli.usage', `${id} has ${held}: --force deletes the bucket with all of them.`)
        await confirm(`${id} is deleted with ${held}. ${NO_WAY_BACK}`, id, call)
        await api.delete(path`buckets/${id}?force=${flags.force ? 1 : 0}`)
        out.show({ deleted: id }, `${id}: deleted`)
      },
    }),
  },
})

const file = { '<file>': 'id of a file' }
const sizeOfFile = (of: Thing) => (of['isSliced'] ? 'sliced' : bytesAt('sizeBytes')(of))

export const files = serviceCommand({
  description: 'list files; millrace download brings one here',
  options: {
    limit,
    query: option('<text>', 'only those, such as tags:export or a part of the name', { short: 'q' }),
    ...serviceOptions,
  },
  run: async ({ api, out, flags: { limit, query } }) =>
    out.list(await api.get('files', things, { limit, q: query }), {
      FILE: idAt('id'),
      NAME: 'name',
      SIZE: sizeOfFile,
      TAGS: 'tags',
      CREATED: timeAt('created'),
    }),
  commands: {
    show: serviceCommand({
      description: 'show one file',
      args: file,
      run: async ({ api, out }, id) =>
        out.detail(await api.get(path`files/${id}`, thing), {
          file: idAt('id'),
          name: 'name',
          created: timeAt('created'),
          size: sizeOfFile,
          tags: 'tags',
          'kept for': of => (of['maxAgeDays'] == null ? 'good' : `${of['maxAgeDays']} days`),
          run: 'runId',
        }),
    }),
    delete: serviceCommand({
      description: 'delete a file',
      args: file,
      run: async ({ api, out }, id) => {
        await api.delete(path`files/${id}`)
        out.show({ deleted: id }, `file ${id}: deleted`)
      },
    }),
  },
})

export const runs = serviceCommand({
  description: 'list runs of configurations, scheduled ones too, or show one',
  args: { '[run]': 'id of a run' },
  options: {
    limit: number('<number>', 'at most so many, 100 at once', 20),
    status: option('<status>', 'only those of this state', { choices: runBody.shape.status.options }),
    component: option('<id>', 'only those of this component'),
    config: option('<id>', 'only those of this configuration'),
    ...serviceOptions,
  },
  run: async ({ api, out, flags }, id?: string) => {
    const nameOf = ({ componentId, configId }: Thing) => `${componentId}/${configId}`
    if (id === undefined) {
      const { limit, status, component, config } = flags
      const query = { limit, status, componentId: component, configId: config }
      out.list(await api.get('runs', z.array(runBody), query), {
        RUN: each => each.id,
        CONFIGURATION: nameOf,
        STATUS: shownStatus,
        STARTED: timeAt('startTime'),
        SECONDS: each => each.durationSeconds,
        ROWS: each => each.rowsLoaded,
        TRIGGER: each => each.trigger,
        REASON: each => each.error?.message,
      })
      return
    }
    const shown = await api.get(path`runs/${id}`, thing)
    const fields = {
      run: 'id',
      configuration: nameOf,
      trigger: 'trigger',
      status: 'status',
      started: timeAt('startTime'),
      ended: timeAt('endTime'),
      seconds: 'durationSeconds',
      rows: 'rowsLoaded',
      requests: 'requests',
      code: 'error.code',
      reason: 'error.message',
    }
    out.detail(shown, fields, () => shown['results'] && out.line(JSON.stringify(shown['results'], null, 2)))
  },
  commands: {
    cancel: serviceCommand({
      description: 'stop a run at its next page; a table that is being loaded is loaded whole',
      args: { '<run>': 'id of a run' },
      run: async ({ api, out }, id) => {
        out.show(await api.send('POST', path`runs/${id}/cancel`, thing), 'Cancelled.')
      },
    }),
  },
})

export const tokens = serviceCommand({
  description: 'list tokens',
  options: serviceOptions,
  run: async ({ api, out }) =>
    out.list(await api.get('tokens', things), {
      ID: idAt('id'),
      DESCRIPTION: 'description',
      CREATED: timeAt('created'),
      EXPIRES: timeAt('expires'),
      RIGHTS: of => {
        if (of['isMasterToken']) return 'master'
        if (of['canManageBuckets']) return 'all buckets'
        const permissions = fieldAt(of, 'bucketPermissions')
        const given = isObject(permissions) ? Object.entries(permissions) : []
        return given.map(([bucketId, right]) => `${bucketId}=${right}`).join(', ')
      },
    }),
  commands: {
    create: serviceCommand({
      description: 'make a token; its value is shown once',
      options: {
        description: option('<text>', 'what it is for', { isRequired: true }),
        bucket: listOption('<bucket=right>', 'read or write of a bucket'),
        component: listOption('<id>', 'a component whose configurations it may use'),
        manageBuckets: flag('all rights on all buckets'),
        expiresIn: number('<seconds>', 'when it ends (default: never)'),
      },
      run: async ({ api, out, flags }) => {
        const { description, bucket, component, manageBuckets, expiresIn } = flags
        const made = await api.send('POST', 'tokens', thing, {
          description,
          bucketPermissions: bucket && permissionsOf(bucket),
          componentAccess: component,
          canManageBuckets: manageBuckets,
          expiresIn,
        })
        out.detail(made, { id: idAt('id'), token: 'token' })
      },
    }),
    delete: serviceCommand({
      description: 'end a token',
      args: { '<id>': '' },
      run: async ({ api, out }, id) => {
        await api.delete(path`tokens/${id}`)
        out.show({ deleted: [id] }, `The token ${id} is deleted.`)
      },
    }),
  },
})

const permissionsOf = (given: readonly string[]): Record<string, string> =>
  Object.fromEntries(
    given.map(each => {
      const [bucketId, right, ...rest] = each.split('=')
      if (bucketId && right && rest.length === 0) return [bucketId, right]
      throw new UserError('cli.usage', `--bucket ${each}: write it like in.c-main=read.`)
    }),
  )

export const events = serviceCommand({
  description: 'list events: changes, runs and what went wrong',
  options: {
    limit,
    query: option('<query>', 'only those that match, such as event:storage.tableImportDone', { short: 'q' }),
    component: option('<id>', 'only those of this component'),
    table: option('<id>', 'only those of this table'),
    ...serviceOptions,
  },
  run: async ({ api, out, flags: { limit, query, component, table } }) => {
    const at = table === undefined ? 'events' : path`tables/${table}/events`
    return out.list(await api.get(at, things, { limit, q: query, component }), {
      TIME: timeAt('created'),
      TYPE: 'type',
      COMPONENT: 'component',
      MESSAGE: 'message',
      REASON: 'description',
    })
  },
})

export const search = serviceCommand({
  description: 'find buckets, tables, configurations and rows by name or id',
  args: { '<text>': '' },
  options: { limit, ...serviceOptions },
  run: async ({ api, out, flags: { limit } }, query) => {
    const found = await api.get('global-search', z.looseObject({ items: things }), { query, limit })
    return out.show(found, () =>
      out.list(found.items, { KIND: 'type', ID: 'id', NAME: 'name', COMPONENT: 'componentId' }),
    )
  },
})
