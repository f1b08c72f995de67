import { z } from 'zod'

const port = (fallback: number) =>
  z
    .string()
    .regex(/^\d+$/, 'must be a port number from 0 to 65535')
    .transform(Number)
    .refine(value => value <= 65_535, 'must be a port number from 0 to 65535')
    .default(fallback)

const schema = z.object({
  /** 0 takes any free one. */
  MILLRACE_API_PORT: port(8080),
  MILLRACE_S3_PORT: port(9000),
  MILLRACE_DATA_DIR: z.string().default('.millrace'),
  /** Master storage token. */
  MILLRACE_TOKEN: z.string().regex(/^\S+$/, 'must not hold spaces').optional(),
  MILLRACE_BIND: z.string().default('127.0.0.1'),
})
export type Settings = z.infer<typeof schema>

/** Reads the environment of `millrace start`; an empty variable counts as none. Throws with the variable's name. */
export const readSettings = (environment: Readonly<Record<string, string | undefined>>): Settings => {
  const given = Object.entries(environment).filter(([, value]) => value !== undefined && value !== '')
  const parsed = schema.safeParse(Object.fromEntries(given))
  if (parsed.success) return parsed.data
  const lines = parsed.error.issues.map(({ path, message }) => `${path.join('.')} ${message}`)
  throw new Error(lines.join('\n'))
}
