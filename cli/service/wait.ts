import { UserError } from '../../functions/lib/errors/errors.ts'
import { replacedRowsOfJob, rowsOfJob, rowsText } from '../../functions/lib/wire/job-results.ts'
import { followJob } from '../connect/follow-job.ts'
import { findMachines } from '../connect/installation.ts'
import { type ServiceCall, serviceCommand, serviceOptions } from '../connect/service-command.ts'
import { number, wholeNumber } from '../shell/command.ts'
import { secondsBetween } from '../shell/format-values.ts'
import type { Output } from '../shell/output.ts'
import { exitCodes } from '../shell/say-error.ts'
import { lookAtJob, type ShownJob, subjectOfJob } from './jobs.ts'

/** What became of an object or a job. */
interface WaitResult {
  status: 'success' | 'error'
  jobId: number | null
  tableId: string | null
  rows: number | null
  /** Of them: by a later row with the same key. */
  replacedRows: number
  seconds: number | null
  error: { code: string; message: string } | null
}

export const wait = serviceCommand({
  description: 'wait until an uploaded object has become a table, or a job has ended',
  args: { '<object or job>': 'key in the landing bucket, s3://BUCKET/KEY, or id of a job' },
  options: { timeout: number('<seconds>', 'give up after so long', 3600), ...serviceOptions },
  help: 'Exit code: 0 when it is done, 1 when it failed (the reason is printed), 2 after the timeout.',
  run: async (call, target) => {
    const { out, flags } = call
    const signal = AbortSignal.timeout(flags.timeout * 1000)
    try {
      return show(await waitFor(call, target, signal), out)
    } catch (error) {
      if (!signal.aborted) throw error
      out.say(`${target}: not done after ${flags.timeout} seconds. It goes on: wait again.`)
      return exitCodes.applicationError
    }
  },
})

const waitFor = async (
  { api, flags, shell }: ServiceCall,
  target: string,
  signal: AbortSignal,
): Promise<WaitResult> => {
  const look = lookAtJob(api)
  if (/^\d+$/.test(target)) {
    const found = await look(wholeNumber(target))
    return ofJob(await followJob(found, look, { what: `Job ${target}`, shell, signal }))
  }
  if (flags.url !== undefined)
    throw new UserError(
      'cli.usage',
      'An object is looked for in the embedded cloud or in a --stack; of another service name the job.',
    )
  const { awaitObject } = await import('./await-object.ts')
  const ended = await awaitObject(target, await findMachines(flags.stack, shell), signal)
  const { seconds } = ended
  const none = { jobId: null, tableId: null, rows: null, replacedRows: 0, seconds }
  if ('error' in ended) return { ...none, status: 'error', error: ended.error }
  const ofImport = ended.jobId === null ? { ...none, error: null } : ofJob(await look(ended.jobId))
  return { ...ofImport, status: 'success', tableId: ended.tableId, seconds }
}

const ofJob = (ended: ShownJob): WaitResult => ({
  status: ended.status === 'success' ? 'success' : 'error',
  jobId: ended.id,
  tableId: subjectOfJob(ended) || null,
  rows: rowsOfJob(ended) ?? null,
  replacedRows: replacedRowsOfJob(ended),
  seconds: secondsBetween(ended.createdTime, ended.endTime),
  error: ended.error ? { code: ended.error.code ?? '', message: ended.error.message } : null,
})

const show = (result: WaitResult, out: Output): number => {
  const { status, jobId, tableId, rows, seconds, error } = result
  out.show(result, () => {
    if (error) {
      out.line(`failed: ${error.message}${error.code ? ` (${error.code})` : ''}`, 'red')
      if (jobId === null) out.say('millrace letters shows how to try again.')
      return
    }
    const facts = [
      tableId ?? 'done',
      rows === null ? '' : rowsText(rows, result.replacedRows),
      seconds === null ? '' : `${seconds.toFixed(1)} s`,
      jobId === null ? '' : `job ${jobId}`,
    ]
    out.line(facts.filter(Boolean).join(', '), 'green')
  })
  return status === 'success' ? 0 : 1
}
