import * as z from 'zod/mini'
import { hexDigest } from '../../functions/lib/digests.ts'
import { UserError } from '../../functions/lib/errors/errors.ts'
import { plural } from '../../functions/lib/plural.ts'
import { rowsOfDeletion } from '../../functions/lib/wire/job-results.ts'
import { followJob, succeededOrThrow } from '../connect/follow-job.ts'
import { segment } from '../connect/options.ts'
import { serviceOptions } from '../connect/storage-options.ts'
import type { Person, Trace } from '../erase/find-traces.ts'
import type { Receipt } from '../erase/receipt.ts'
import { type Command, listOption, option } from '../shell/command.ts'
import { yesOption } from '../shell/confirm.ts'
import { pathIn } from '../shell/shell.ts'
import { job, lookAtJob } from './job-line.ts'
import { onService, type ServiceCall } from './on-service.ts'

interface Flags {
  column?: string[]
  value?: string[]
  receipt?: string
  yes?: boolean
}

/** Why this cannot be taken away. A file that nobody could look into may be anybody's. */
const whyItStays = ({ kind, unread }: Trace): string | undefined =>
  unread === undefined ? STAYS[kind] : `${unread}; look into it, and delete it if it is theirs`

const STAYS: Partial<Record<Trace['kind'], string>> = {
  configuration: 'versions stay; a configuration that is deleted twice is gone with all of them',
  event: 'events stay for 365 days',
  job: 'jobs stay',
}

export const erase: Command = {
  description: 'find the data of a person, and with --yes erase it',
  options: [
    listOption('--column <name>', 'a column that names the person, such as email'),
    listOption('--value <text>', 'what it holds for this person, as it is stored'),
    option('--receipt <path>', 'where to write what was erased (default: erased-….json here)'),
    yesOption,
    ...serviceOptions,
  ],
  help: `Without --yes it only shows what it finds. With --yes the same command, given again, goes on where it was cut off. The token must be
able to read and change everything. What cannot be reached this way: docs/erase.md.`,
  run: onService<Flags>(async call => {
    const { flags, api, out, shell } = call
    const person = { columns: flags.column ?? [], values: flags.value ?? [] }
    if (person.columns.length === 0 || person.values.length === 0 || person.values.includes(''))
      throw new UserError('cli.usage', 'Name the person: --column email --value jane@example.com.')
    await requireWholeSight(call)
    const { findTraces } = await import('../erase/find-traces.ts')
    const found = await findTraces(person, api, shell)
    for (const column of person.columns.filter(each => !found.some(({ columns }) => columns?.includes(each))))
      out.say(`No table has a column "${column}": is it written as in the tables?`)
    if (!flags.yes) {
      out.show({ found }, () => showFound(found, call))
      return undefined
    }
    const { openReceipt, saveReceipt } = await import('../erase/receipt.ts')
    const digest = hexDigest(JSON.stringify(person))
    const path = pathIn(shell, flags.receipt ?? `erased-${digest.slice(0, 12)}.json`)
    const receipt = await openReceipt(path, digest, person.columns)
    for (const trace of found) {
      if (whyItStays(trace) !== undefined || isDone(trace, receipt)) continue
      const rows = await eraseTrace(trace, person, call)
      const { kind, id, branch } = trace
      receipt.erased.push({
        kind,
        id,
        ...(branch !== undefined && { branch }),
        ...(rows !== undefined && { rows }),
        at: new Date().toISOString(),
      })
      await saveReceipt(path, receipt)
    }
    const still = (await findTraces(person, api, shell)).filter(
      ({ kind, rows }) => kind !== 'table' || rows !== 0,
    )
    receipt.left = still.map(trace => ({
      kind: trace.kind,
      id: trace.id,
      reason:
        whyItStays(trace) ?? `came, or came again, meanwhile${trace.about === '' ? '' : ` (${trace.about})`}`,
    }))
    await saveReceipt(path, receipt)
    out.show(receipt, () => showReceipt(receipt, path, call))
    return still.some(trace => STAYS[trace.kind] === undefined) ? 1 : undefined
  }),
}

/** A token that does not see everything would call a person erased who is not. */
const requireWholeSight = async ({ api }: Pick<ServiceCall, 'api'>): Promise<void> => {
  const rights = z.object({ canManageBuckets: z.boolean(), canReadAllFileUploads: z.boolean() })
  const { canManageBuckets, canReadAllFileUploads } = await api.get('tokens/verify', rights)
  if (!canManageBuckets || !canReadAllFileUploads)
    throw new UserError(
      'cli.usage',
      'This token does not see all buckets and files (canManageBuckets, canReadAllFileUploads). Use the master token.',
    )
}

/** A table is erased from although it holds no such row now: its files and its earlier states may. */
const isDone = ({ kind, id, branch, rows }: Trace, { erased }: Receipt): boolean =>
  kind === 'table' &&
  rows === 0 &&
  erased.some(each => each.kind === kind && each.id === id && each.branch === branch)

const eraseTrace = async (
  { kind, id, branch, columns = [] }: Trace,
  { values }: Person,
  { api, shell }: Pick<ServiceCall, 'api' | 'shell'>,
): Promise<number | undefined> => {
  const end = async (path: string, body?: object) => {
    const started = await api.send('DELETE', path, job, body)
    return succeededOrThrow(
      await followJob(started, lookAtJob(api), { what: `The erasure in ${kind} ${id}`, shell }),
    )
  }
  switch (kind) {
    case 'table': {
      let rows = 0
      for (const column of columns) {
        const whereFilters = [{ column, operator: 'eq', values }]
        const path = `${branch === undefined ? '' : `branch/${branch}/`}tables/${segment(id)}/rows`
        rows += rowsOfDeletion(await end(path, { whereFilters, erase: true })) ?? 0
      }
      return rows
    }
    case 'snapshot':
      await end(`snapshots/${id}`)
      return undefined
    default:
      await api.send('DELETE', `${kind === 'file' ? 'files' : 'dead-letters'}/${id}`, z.unknown())
      return undefined
  }
}

const showFound = (found: readonly Trace[], { out }: Pick<ServiceCall, 'out'>): void => {
  out.table(
    ['WHAT', 'ID', 'ROWS', 'ABOUT', 'WITH --yes'],
    found.map(trace => [trace.kind, trace.id, rowsOf(trace), trace.about, whatHappens(trace)]),
  )
  out.line('Nothing was changed. --yes erases it.')
}

const rowsOf = ({ rows }: Trace): string => (rows === null ? 'too many to count' : (rows?.toString() ?? ''))

const whatHappens = (trace: Trace): string => {
  if (trace.kind === 'table') return 'rows deleted, earlier states dropped'
  return whyItStays(trace) ?? 'deleted'
}

const showReceipt = ({ erased, left }: Receipt, path: string, { out }: Pick<ServiceCall, 'out'>): void => {
  for (const { kind, id, branch, rows } of erased) {
    const where = branch === undefined ? '' : ` of branch ${branch}`
    out.line(
      `${kind} ${id}${where}: ${rows === undefined ? 'deleted' : `${plural(rows, 'row')} erased`}`,
      'green',
    )
  }
  for (const { kind, id, reason } of left) out.line(`${kind} ${id}: ${reason}`, 'yellow')
  out.line(`${path} is the receipt.`)
}
