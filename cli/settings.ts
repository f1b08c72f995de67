import { z } from 'zod'
import { durabilitySchema } from '../local/durable/durability.ts'

const port = (fallback: number) =>
  z
    .string()
    .regex(/^\d+$/, 'must be a port number from 0 to 65535')
    .transform(Number)
    .refine(value => value <= 65_535, 'must be a port number from 0 to 65535')
    .default(fallback)

const shortestToken = 8

const schema = z.object({
  /** 0: any free port. */
  MILLRACE_API_PORT: port(8080),
  MILLRACE_S3_PORT: port(9000),
  MILLRACE_DATA_DIR: z.string().default('.millrace'),
  /** Master storage token. It opens everything, so it must be hard to guess. */
  MILLRACE_TOKEN: z
    .string()
    .regex(/^\S+$/, 'must not hold spaces')
    .min(shortestToken, `must have at least ${shortestToken} characters`)
    .optional(),
  MILLRACE_BIND: z.string().default('127.0.0.1'),
  /** Name, and port, under which the API is served with TLS, too. */
  MILLRACE_TLS: z
    .string()
    .regex(/^[a-z0-9.-]+(:\d{1,5})?$/, 'must be a name and maybe a port, such as millrace.test:443')
    .transform(text => {
      const [name = '', given = '8443'] = text.split(':')
      return { name, port: Number(given) }
    })
    .optional(),
  /** Whether an acknowledgement waits for the disk. */
  MILLRACE_DURABILITY: durabilitySchema,
  /** Stack configuration over that of cdk.json, as a JSON object. */
  MILLRACE_CONTEXT: z
    .string()
    .transform((text, { addIssue }) => {
      try {
        return z.record(z.string(), z.unknown()).parse(JSON.parse(text))
      } catch {
        addIssue('must be a JSON object')
        return z.NEVER
      }
    })
    .default({}),
})
type Settings = z.infer<typeof schema>

/** Reads the environment of `millrace start`; an empty variable counts as missing. Throws with the variable's name. */
export const readSettings = (environment: Readonly<Record<string, string | undefined>>): Settings => {
  const given = Object.entries(environment).filter(([, value]) => value !== undefined && value !== '')
  const parsed = schema.safeParse(Object.fromEntries(given))
  if (parsed.success) return parsed.data
  const lines = parsed.error.issues.map(({ path, message }) => `${path.join('.')} ${message}`)
  throw new Error(lines.join('\n'))
}
