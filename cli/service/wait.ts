import { UserError } from '../../functions/lib/errors/errors.ts'
import { replacedRowsOfJob, rowsOfJob, rowsText } from '../../functions/lib/wire/job-results.ts'
import { followJob } from '../connect/follow-job.ts'
import { wholeNumber } from '../connect/options.ts'
import { type ServiceFlags, serviceOptions } from '../connect/storage-options.ts'
import { argument, type Command, option } from '../shell/command.ts'
import { secondsBetween } from '../shell/format-values.ts'
import type { Output } from '../shell/output.ts'
import { exitCodes } from '../shell/say-error.ts'
import { job, lookAtJob, type ShownJob, subjectOfJob } from './job-line.ts'
import { onService, type ServiceCall } from './on-service.ts'

interface Flags extends ServiceFlags {
  timeout: string
}

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

export const wait: Command = {
  description: 'wait until an uploaded object has become a table, or a job has ended',
  args: [argument('<object or job>', 'key in the landing bucket, s3://BUCKET/KEY, or id of a job')],
  options: [option('--timeout <seconds>', 'give up after so long', '3600'), ...serviceOptions],
  help: 'Exit code: 0 when it is done, 1 when it failed (the reason is printed), 2 after the timeout.',
  run: onService<Flags>(async (call, target) => {
    const { out, flags } = call
    const signal = AbortSignal.timeout(wholeNumber(flags.timeout) * 1000)
    try {
      return show(await waitFor(call, target, signal), out)
    } catch (error) {
      if (!signal.aborted) throw error
      out.say(`${target}: not done after ${flags.timeout} seconds. It goes on: wait again.`)
      return exitCodes.applicationError
    }
  }),
}

const waitFor = async (
  { api, flags, shell }: ServiceCall<Flags>,
  target: string,
  signal: AbortSignal,
): Promise<WaitResult> => {
  if (/^\d+$/.test(target)) {
    const look = lookAtJob(api)
    const found = await look(wholeNumber(target))
    return ofJob(await followJob(found, look, { what: `Job ${target}`, shell, signal }))
  }
  if (flags.url !== undefined)
    throw new UserError(
      'cli.usage',
      'An object is looked for in the embedded cloud or in a --stack; of another service name the job.',
    )
  const { awaitObject } = await import('./await-object.ts')
  const { connectMachines } = await import('../connect/connect-machines.ts')
  const ended = await awaitObject(target, await connectMachines(flags.stack, shell), signal)
  if ('error' in ended)
    return {
      status: 'error',
      jobId: null,
      tableId: null,
      rows: null,
      replacedRows: 0,
      seconds: ended.seconds,
      error: ended.error,
    }
  const imported = ended.jobId === null ? undefined : await api.get(`jobs/${ended.jobId}`, job)
  return {
    ...(imported ? ofJob(imported) : { jobId: null, rows: null, replacedRows: 0, error: null }),
    status: 'success',
    tableId: ended.tableId,
    seconds: ended.seconds,
  }
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
