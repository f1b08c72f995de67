import * as z from 'zod/mini'
import { UserError } from '../../functions/lib/errors/errors.ts'
import { plural } from '../../functions/lib/plural.ts'
import {
  type DeadLetterBody,
  deadLetterBody,
  redrivenAllBody,
  redrivenBody,
} from '../../functions/lib/wire/dead-letter-body.ts'
import { path } from '../connect/api.ts'
import { type ServiceCall, serviceCommand, serviceOptions } from '../connect/service-command.ts'
import { type FlagsOf, flag, number, option } from '../shell/command.ts'
import { fieldAt, timeAt } from '../shell/format-values.ts'

const options = {
  limit: number('<number>', 'at most so many', 100),
  // Those that leave dead letters, and jobs.
  machine: option('<name>', 'only those of this machine', {
    choices: ['import', 'export', 'extract', 'jobs'],
  }),
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
  run: async ({ api, out, flags: { limit, machine, code } }) =>
    out.list(
      await api.get('dead-letters', z.array(deadLetterBody), { limit, machine, code }),
      {
        ID: 'id',
        MACHINE: 'machine',
        TIME: timeAt('created'),
        ABOUT: describeInput,
        CODE: 'failure.code',
        REASON: 'failure.message',
      },
      'No dead letters: no machine waits to be started again. millrace jobs --status error shows jobs that failed.',
    ),
  commands: {
    show: serviceCommand({
      description: 'show one: its input, why it failed and what to do',
      args: { '<id>': '' },
      run: async ({ api, out }, id) => {
        const found = await api.get(path`dead-letters/${id}`, deadLetterBody)
        const fields = {
          id: 'id',
          machine: 'machine',
          time: timeAt('created'),
          about: describeInput,
          code: 'failure.code',
          reason: 'failure.message',
          execution: 'source.execution',
          'try again': (of: DeadLetterBody) =>
            of.isRedrivable ? `millrace letters redrive ${of.id}` : of.redrive,
        }
        return out.detail(found, fields, () => {
          const { input, details } = found
          out.line(`input  ${JSON.stringify(input, null, 2)}`)
          if (Object.keys(details).length > 0) out.line(`details  ${JSON.stringify(details, null, 2)}`)
        })
      },
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
        return out.show({ deleted: ids }, `${plural(ids.length, 'dead letter')} deleted.`)
      },
    }),
  },
})

/** What a machine was started with, in a few words: the object, configuration, job, table or file. */
export const describeInput = ({ input }: Pick<DeadLetterBody, 'input'>): string => {
  const { componentId, configId, jobId, key, tableId, fileId } = input
  if (componentId !== undefined) return `${componentId}/${configId}`
  if (jobId !== undefined) return `job ${jobId}`
  const found = fieldAt(input, 'detail.object.key') ?? key ?? tableId
  return String(found ?? (fileId === undefined ? '' : `file ${fileId}`))
}

type RedriveCall = ServiceCall<FlagsOf<typeof options & typeof redriveOptions>>

const redrive = async ({ api, out, flags }: RedriveCall, ids: readonly string[]): Promise<number> => {
  const { machine, code, all } = flags
  if ((ids.length === 0) === (all !== true))
    throw new UserError('cli.usage', 'Name the dead letters to redrive, or give --all.')
  const version = flags.newest === true ? 'newest' : 'same'
  const done: z.infer<typeof redrivenAllBody> = { redriven: [], refused: [], hasMore: all === true }
  for (const id of ids)
    done.redriven.push(await api.send('POST', path`dead-letters/${id}/redrive`, redrivenBody, { version }))
  while (done.hasMore) {
    const reply = await api.send('POST', 'dead-letters/redrive', redrivenAllBody, { machine, code, version })
    done.redriven.push(...reply.redriven)
    done.refused.push(...reply.refused)
    // Those that are refused stay, and would come again.
    done.hasMore = reply.hasMore && reply.redriven.length > 0
  }
  const { redriven, refused } = done
  out.show({ redriven, refused }, () => {
    for (const { id, execution } of redriven) out.line(`${id}: started again as ${execution}`)
    for (const { id, reason } of refused) out.line(`${id}: ${reason}`, 'yellow')
    if (redriven.length + refused.length === 0) out.line('No dead letters.')
  })
  return refused.length === 0 ? 0 : 1
}
