import * as z from 'zod/mini'
import { UserError } from '../../functions/lib/errors/errors.ts'
import { plural } from '../../functions/lib/plural.ts'
import {
  deadLetterBody,
  type RedrivenAllBody,
  redrivenAllBody,
  redrivenBody,
} from '../../functions/lib/wire/dead-letter-body.ts'
import { path } from '../connect/api.ts'
import { type ServiceCall, serviceCommand, serviceOptions } from '../connect/service-command.ts'
import { type FlagsOf, flag, number, option } from '../shell/command.ts'
import { formatTime } from '../shell/format-values.ts'

/** Those that leave dead letters, and jobs. */
const machines = ['import', 'export', 'extract', 'jobs']

const options = {
  limit: number('<number>', 'at most so many', 100),
  machine: option('<name>', 'only those of this machine', { choices: machines }),
  code: option('<code>', 'only those of this error'),
  ...serviceOptions,
}
const redriveOptions = {
  all: flag('all of them, or those of --machine and --code'),
  newest: flag('of imports: the object as it is now, not the version that failed'),
}

export const letters = serviceCommand({
  description: 'dead letters: list what failed and nobody has mended, and why',
  options,
  run: async ({ api, out, flags: { limit, machine, code } }) => {
    out.list(
      await api.get('dead-letters', z.array(deadLetterBody), { limit, machine, code }),
      {
        ID: each => each.id,
        MACHINE: each => each.machine,
        TIME: each => formatTime(each.created),
        ABOUT: each => describeInput(each.input),
        CODE: each => each.failure.code,
        REASON: each => each.failure.message,
      },
      'No dead letters: no machine waits to be started again. millrace jobs --status error shows jobs that failed.',
    )
  },
  commands: {
    show: serviceCommand({
      description: 'show one: its input, why it failed and what to do',
      args: { '<id>': '' },
      run: (call, id) => showLetter(call, id),
    }),
    redrive: serviceCommand({
      description: 'start again what failed, with the same input or the newest version of its object',
      args: { '[id...]': '' },
      options: redriveOptions,
      run: (call, ...ids) => redrive(call as RedriveCall, ids), // It is below the command that has the others.
    }),
    delete: serviceCommand({
      description: 'give up: forget what failed',
      args: { '<id...>': '' },
      run: async ({ api, out }, ...ids) => {
        for (const id of ids) await api.delete(path`dead-letters/${id}`)
        out.show({ deleted: ids }, `${plural(ids.length, 'dead letter')} deleted.`)
      },
    }),
  },
})

const showLetter = async ({ api, out }: ServiceCall, id: string): Promise<undefined> => {
  const found = await api.get(path`dead-letters/${id}`, deadLetterBody)
  out.show(found, () => {
    out.fields({
      id: found.id,
      machine: found.machine,
      time: formatTime(found.created),
      about: describeInput(found.input),
      code: found.failure.code,
      reason: found.failure.message,
      execution: found.source.execution,
      'try again': found.isRedrivable ? `millrace letters redrive ${found.id}` : found.redrive,
    })
    out.line(`input  ${JSON.stringify(found.input, null, 2)}`)
    if (JSON.stringify(found.details) !== '{}') out.line(`details  ${JSON.stringify(found.details, null, 2)}`)
  })
}

/** All that a machine may be started with. */
const inputs = z.catch(
  z.partial(
    z.object({
      detail: z.object({ object: z.object({ key: z.string() }) }),
      key: z.string(),
      componentId: z.string(),
      configId: z.coerce.string(),
      jobId: z.number(),
      tableId: z.string(),
      fileId: z.coerce.string(),
    }),
  ),
  {},
)

/** What a machine was started with, in a few words: the object, configuration, job, table or file. */
export const describeInput = (input: unknown): string => {
  const { detail, key, componentId, configId, jobId, tableId, fileId } = inputs.parse(input)
  if (componentId !== undefined) return `${componentId}/${configId}`
  if (jobId !== undefined) return `job ${jobId}`
  return detail?.object.key ?? key ?? tableId ?? (fileId === undefined ? '' : `file ${fileId}`)
}

type RedriveCall = ServiceCall<FlagsOf<typeof options & typeof redriveOptions>>

const redrive = async ({ api, out, flags }: RedriveCall, ids: readonly string[]): Promise<number> => {
  if ((ids.length === 0) === (flags.all !== true))
    throw new UserError('cli.usage', 'Name the dead letters to redrive, or give --all.')
  const version = flags.newest === true ? 'newest' : 'same'
  const done: RedrivenAllBody['redriven'] = []
  const refused: RedrivenAllBody['refused'] = []
  for (const id of ids)
    done.push(await api.send('POST', path`dead-letters/${id}/redrive`, redrivenBody, { version }))
  for (let hasMore = flags.all === true; hasMore; ) {
    const { machine, code } = flags
    const reply = await api.send('POST', 'dead-letters/redrive', redrivenAllBody, { machine, code, version })
    done.push(...reply.redriven)
    refused.push(...reply.refused)
    // Those that are refused stay, and would come again.
    hasMore = reply.hasMore && reply.redriven.length > 0
  }
  out.show({ redriven: done, refused }, () => {
    for (const { id, execution } of done) out.line(`${id}: started again as ${execution}`)
    for (const { id, reason } of refused) out.line(`${id}: ${reason}`, 'yellow')
    if (done.length === 0 && refused.length === 0) out.line('No dead letters.')
  })
  return refused.length === 0 ? 0 : 1
}
