import { z } from 'zod'

/**
 * What an acknowledgement is worth. `full`: the bytes are synced, so a power cut loses nothing either. `relaxed`: they
 * are with the kernel, so a killed process loses nothing and a power cut may lose the last seconds.
 */
export const durabilitySchema = z.enum(['full', 'relaxed'], 'must be full or relaxed').default('full')

export type Durability = z.infer<typeof durabilitySchema>

/** Reads `MILLRACE_DURABILITY`; an empty variable counts as none. */
export const readDurability = (environment: Readonly<Record<string, string | undefined>>): Durability => {
  const parsed = durabilitySchema.safeParse(environment['MILLRACE_DURABILITY'] || undefined)
  if (parsed.success) return parsed.data
  throw new Error('MILLRACE_DURABILITY must be full or relaxed')
}

export const relaxedNotice =
  'MILLRACE_DURABILITY=relaxed: nothing is synced to the disk. A power cut loses what was acknowledged last.'
