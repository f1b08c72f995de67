import * as z from 'zod'

const asking = z.object({
  parameters: z.object({
    api: z.object({ http: z.object({ conditional: z.literal(true).or(z.record(z.string(), z.unknown())) }) }),
  }),
})

/** Whether a configuration, as it is stored, asks for conditional requests: only then there are answers to fetch and to keep. */
export const asksConditionally = (configuration: unknown): boolean => asking.safeParse(configuration).success
