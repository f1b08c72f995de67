import * as z from 'zod/mini'
import { UserError } from '../../functions/lib/errors/errors.ts'
import { plural } from '../../functions/lib/plural.ts'
import {
  deadLetterBody,
  type RedrivenAllBody,
  redrivenAllBody,
  redrivenBody,
} from '../../functions/lib/wire/dead-letter-body.ts'
import { segment, wholeNumber } from '../connect/options.ts'
import { serviceOptions } from '../connect/storage-options.ts'
import { argument, type Command, option } from '../shell/command.ts'
import { formatTime } from '../shell/format-values.ts'
import { describeInput } from './describe-input.ts'
import { onService, type ServiceCall } from './on-service.ts'

interface ListFlags {
  limit: string
  machine?: string
  code?: string
}
type AllFlags = ListFlags & { all?: boolean; newest?: boolean }

/** Those that leave dead letters, and jobs. */
const machines = ['import', 'export', 'extract', 'jobs']

export const letters: Command = {
  description: 'dead letters: list what failed and why',
  options: [
    option('--limit <number>', 'at most so many', '100'),
    option('--machine <name>', 'only those of this machine').choices(machines),
    option('--code <code>', 'only those of this error'),
    ...serviceOptions,
  ],
  run: onService<ListFlags>(call => listLetters(call)),
  commands: {
    show: {
      description: 'show one: its input, why it failed and what to do',
      args: [argument('<id>')],
      run: onService((call, id) => showLetter(call, id)),
    },
    redrive: {
      description: 'start again what failed, with the same input or the newest version of its object',
      args: [argument('[id...]')],
      options: [
        option('--all', 'all of them, or those of --machine and --code'),
        option('--newest', 'of imports: the object as it is now, not the version that failed'),
      ],
      run: onService<AllFlags>((call, ...ids) => redrive(call, ...ids)),
    },
    delete: {
      description: 'give up: forget what failed',
      args: [argument('<id...>')],
      run: onService(async ({ api, out }, ...ids) => {
        for (const id of ids) await api.send('DELETE', `dead-letters/${segment(id)}`, z.unknown())
        out.show({ deleted: ids }, () => out.line(`${plural(ids.length, 'dead letter')} deleted.`))
      }),
    },
  },
}

const listLetters = async ({ api, out, flags }: ServiceCall<ListFlags>): Promise<undefined> => {
  const { limit, machine, code } = flags
  const found = await api.get('dead-letters', z.array(deadLetterBody), {
    limit: wholeNumber(limit),
    machine,
    code,
  })
  out.show(found, () => {
    if (found.length === 0)
      return out.line(
        'No dead letters: no machine waits to be started again. millrace jobs --status error shows jobs that failed.',
      )
    out.table(
      ['ID', 'MACHINE', 'TIME', 'ABOUT', 'CODE', 'REASON'],
      found.map(each => [
        each.id,
        each.machine,
        formatTime(each.created),
        describeInput(each.input),
        each.failure.code,
        each.closed ? `closed: job ${each.closed.jobId} imported the file` : each.failure.message,
      ]),
    )
  })
}

const showLetter = async ({ api, out }: ServiceCall, id: string): Promise<undefined> => {
  const found = await api.get(`dead-letters/${segment(id)}`, deadLetterBody)
  out.show(found, () => {
    out.fields({
      id: found.id,
      machine: found.machine,
      time: formatTime(found.created),
      about: describeInput(found.input),
      code: found.failure.code,
      reason: found.failure.message,
      execution: found.source.execution,
      closed: found.closed && `${formatTime(found.closed.at)}: job ${found.closed.jobId} imported the file`,
      'try again': found.isRedrivable ? `millrace letters redrive ${found.id}` : found.redrive,
    })
    out.line(`input  ${JSON.stringify(found.input, null, 2)}`)
    if (JSON.stringify(found.details) !== '{}') out.line(`details  ${JSON.stringify(found.details, null, 2)}`)
  })
}

const redrive = async ({ api, out, flags }: ServiceCall<AllFlags>, ...ids: string[]): Promise<number> => {
  if ((ids.length === 0) === (flags.all !== true))
    throw new UserError('cli.usage', 'Name the dead letters to redrive, or give --all.')
  const version = flags.newest === true ? 'newest' : 'same'
  const done: RedrivenAllBody['redriven'] = []
  const refused: RedrivenAllBody['refused'] = []
  for (const id of ids)
    done.push(await api.send('POST', `dead-letters/${segment(id)}/redrive`, redrivenBody, { version }))
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
