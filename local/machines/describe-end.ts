import { z } from 'zod'
import { describeFailure } from '#lib/errors/machine-failure.ts'
import { readJson } from '#lib/json/read-json.ts'
import type { EndedExecution } from './execution-store.ts'

const landed = z.object({ detail: z.object({ object: z.object({ key: z.string() }) }) })
const input = z
  .object({
    key: z.string().optional(),
    componentId: z.string().optional(),
    configId: z.coerce.string().optional(),
    tableId: z.string().optional(),
    fileId: z.coerce.string().optional(),
    jobId: z.coerce.string().optional(),
  })
  .catch({})
const output = z
  .object({
    outcome: z.string().optional(),
    /** Why nothing was imported. */
    reason: z.string().optional(),
    status: z.string().optional(),
    tableId: z.string().optional(),
    results: z
      .object({ importedRowsCount: z.number().optional(), rowsCount: z.number().optional() })
      .optional()
      .catch(undefined),
    rowsLoaded: z.number().optional(),
    requests: z.number().optional(),
    bytes: z.number().optional(),
    destination: z.object({ bucket: z.string(), key: z.string() }).optional().catch(undefined),
  })
  .catch({})

/**
 * The end of an execution for the person at the terminal: what it was about, what became of it and how long it took, or
 * why it failed. `undefined` for jobs that are done: what started them says so.
 */
export const describeEnd = (ended: EndedExecution): string | undefined => {
  const name = ended.stateMachineArn.split(':').at(-1) ?? ''
  const seconds = (Date.parse(ended.stopDate) - Date.parse(ended.startDate)) / 1000
  const what = `${kindOf(name)} ${aboutOf(readJson(ended.input)) || ended.name}`
  if (ended.status !== 'SUCCEEDED') {
    const { code, message } = describeFailure({ Error: ended.error ?? ended.status, Cause: ended.cause })
    return `${what}: failed after ${seconds.toFixed(1)} s: ${message || 'no reason is known'} (${code})`
  }
  if (/-jobs$/.test(name)) return undefined
  const result = outcomeOf(output.parse(readJson(ended.output)))
  return `${what}: ${[...result, `${seconds.toFixed(1)} s`].join(', ')}`
}

const kindOf = (machine: string): string => {
  if (/-jobs$/.test(machine)) return 'job'
  return /(import|export|extract)/i.exec(machine)?.[1]?.toLowerCase() ?? machine
}

const aboutOf = (given: unknown): string | undefined => {
  const event = landed.safeParse(given)
  if (event.success) return event.data.detail.object.key
  const { key, componentId, configId, tableId, fileId, jobId } = input.parse(given)
  if (componentId !== undefined) return `${componentId}/${configId}`
  return key ?? tableId ?? (fileId === undefined ? jobId : `file ${fileId}`)
}

const outcomeOf = (of: z.infer<typeof output>): string[] => {
  const { outcome, reason, status, tableId, results, rowsLoaded, requests, bytes, destination } = of
  const rows = results?.importedRowsCount ?? results?.rowsCount ?? rowsLoaded
  const facts = [
    tableId ?? outcome ?? (status === 'skipped' ? status : undefined),
    reason,
    destination && `s3://${destination.bucket}/${destination.key}`,
    rows === undefined ? undefined : `${rows} rows`,
    requests === undefined ? undefined : `${requests} requests`,
    bytes === undefined ? undefined : `${bytes} bytes`,
  ].filter(fact => fact !== undefined)
  return facts.length === 0 ? ['done'] : facts
}
