import { z } from 'zod'

const objectCreated = z.object({
  detail: z.object({ bucket: z.object({ name: z.string() }), object: z.object({ key: z.string() }) }),
})
const named = z.object({ bucket: z.string(), key: z.string() })
const configuration = z.object({ componentId: z.string(), configId: z.coerce.string() })
const exported = z.object({ tableId: z.string().optional(), fileId: z.coerce.string().optional() })
const job = z.object({ jobId: z.number() })

/** What a machine was started with, in a few words: the object, configuration, table, file or job. */
export const describeInput = (input: unknown): string => {
  const event = objectCreated.safeParse(input)
  if (event.success) return event.data.detail.object.key
  const object = named.safeParse(input)
  if (object.success) return object.data.key
  const run = configuration.safeParse(input)
  if (run.success) return `${run.data.componentId}/${run.data.configId}`
  const ofJob = job.safeParse(input)
  if (ofJob.success) return `job ${ofJob.data.jobId}`
  const source = exported.safeParse(input)
  return source.success
    ? (source.data.tableId ?? (source.data.fileId ? `file ${source.data.fileId}` : ''))
    : ''
}
