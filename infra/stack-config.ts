import { z } from 'zod'
import { didYouMean } from '../functions/lib/errors/did-you-mean.ts'
import { readSchedule } from '../functions/lib/schedules/schedule-expression.ts'
import { DEFAULT_BACKEND } from '../functions/lib/storage/project/backend-name.ts'
import { landingRules } from '../functions/start-import/landing-rules.ts'
import { deploymentFields, fromText, refuseContradictions, shapeOf } from './deployment-config.ts'
import { workSizes } from './work-sizes.ts'

const entityId = z.coerce.string().regex(/^(?!\.{1,2}$)[A-Za-z0-9._-]{1,200}$/, 'not an id')

/** When a configuration runs by itself. */
const extractSchedule = z
  .strictObject({
    /** Names the schedule within the stack. */
    name: z.string().regex(/^[A-Za-z][A-Za-z0-9-]{0,39}$/, 'letters, digits and dashes'),
    /** `cron(0 6 * * ? *)`, `rate(1 hour)` or `at(2027-01-01T08:00:00)`. */
    expression: z.string(),
    timezone: z.string().default('UTC'),
    componentId: entityId,
    configId: entityId,
    /** While another run of the configuration is under way: skip this run, or wait. */
    overlap: z.enum(['skip', 'wait']).default('skip'),
    /** Spreads runs of one moment over so many minutes. */
    flexibleMinutes: z.number().int().min(0).max(1440).default(0),
    isEnabled: z.boolean().default(true),
  })
  .superRefine(({ expression, timezone }, { addIssue }) => {
    try {
      readSchedule(expression, timezone)
    } catch (error) {
      addIssue({ code: 'custom', path: ['expression'], message: String(error) })
    }
  })

export type ExtractSchedule = z.infer<typeof extractSchedule>

/** What a deployment may choose, in the `context` of cdk.json or with `-c name=value`. */
const stackConfig = z.object({
  ...deploymentFields,
  sizes: workSizes,
  /** Part of tokens and of file keys. */
  projectId: z.coerce
    .string()
    .regex(/^[1-9]\d*$/, 'projectId must be a positive number')
    .default('1'),
  /** What the backend is called to clients. */
  backendName: z
    .string()
    .regex(/^[a-z]{1,40}$/, 'backendName must be small letters')
    .default(DEFAULT_BACKEND),
  /** Whether a number with more digits than its column holds is refused or rounded. */
  numberRounding: z.enum(['refuse', 'round']).default('refuse'),
  /** Key rules of the landing bucket, tried before the convention. */
  landingRules: z.preprocess(fromText, landingRules).default([]),
  /** Configurations that run by themselves. */
  schedules: z
    .preprocess(fromText, z.array(extractSchedule))
    .default([])
    .refine(schedules => new Set(schedules.map(({ name }) => name)).size === schedules.length, {
      error: 'each schedule needs a name of its own',
    }),
  /** Days for which the earlier snapshots of a table stay readable. */
  snapshotRetentionDays: z.coerce.number().int().min(1).max(3650).default(7),
  /** Days for which deleted objects of tables stay as versions; docs/restore.ts brings them back. 0: they are gone. */
  tableVersionDays: z.coerce.number().int().min(0).max(3650).default(7),
  /** Hosts that extractions may reach although they are not on the public internet, as written in addresses. */
  extractorAllowedHosts: z.preprocess(fromText, z.array(z.string().min(1))).default([]),
  /** KMS keys of objects that land encrypted with them: the import hook may decrypt. */
  landingKeyArns: z
    .preprocess(
      fromText,
      z.array(z.string().regex(/^arn:[\w-]+:kms:[\w-]+:\d{12}:key\/[\w-]+$/, 'not the ARN of a KMS key')),
    )
    .default([]),
  /** Buckets that exports may be written to, besides the exports bucket. */
  exportBuckets: z.preprocess(fromText, z.array(z.string().min(3).max(63))).default([]),
  /** Receives a mail for each alarm. */
  alarmEmail: z.email().optional(),
  /** Address of a storage service that exists already; then only the functions around it are deployed. */
  storageUrl: z
    .url({ protocol: /^https$/ })
    .transform(url => url.replace(/\/+$/, ''))
    .optional(),
  /** Name of the Secrets Manager secret with the token of that service. Required with `storageUrl`. */
  storageTokenSecret: z.string().min(1).optional(),
})

type Values = Readonly<Record<string, unknown>>

export const settingNames: readonly string[] = Object.keys(stackConfig.shape)

/**
 * Without this check a misspelt name would be ignored, and the alarm would go to nobody. CDK's own names in the context
 * contain characters that ours do not.
 */
const refuseUnknownNames = (given: Values, place = 'The context'): void => {
  for (const name of Object.keys(given).filter(name => !settingNames.includes(name))) {
    const meant = didYouMean(name, settingNames)
    if (meant === undefined && /[^A-Za-z0-9]/.test(name)) continue
    const hint = meant === undefined ? `Known: ${settingNames.join(', ')}.` : `Did you mean "${meant}"?`
    throw new Error(`${place} has no "${name}". ${hint}`)
  }
}

/** Where an environment has a value, it takes the place of the common one. */
const ofEnvironment = (given: Values): Values => {
  const { environment, environments } = z
    .object({ environment: deploymentFields.environment, environments: deploymentFields.environments })
    .parse(given)
  for (const [name, values] of Object.entries(environments)) {
    refuseUnknownNames(values, `The environment "${name}"`)
    const own = ['environment', 'environments'].find(field => field in values)
    if (own !== undefined) throw new Error(`The environment "${name}" cannot hold "${own}".`)
  }
  const names = Object.keys(environments)
  if (environment !== undefined && names.length > 0 && !names.includes(environment))
    throw new Error(`There is no environment "${environment}". There are: ${names.join(', ')}.`)
  return { ...given, ...(environment === undefined ? {} : environments[environment]) }
}

/** What was given for the chosen environment, not yet checked. */
export const givenContext = (context: Values): Values => {
  refuseUnknownNames(context)
  return checked(() => ofEnvironment(context))
}

/** Reads and checks the configuration; throws with the name of each field that is wrong. */
export const readStackConfig = (context: Values) => {
  const given = givenContext(context)
  return checked(() =>
    stackConfig
      .superRefine(refuseContradictions)
      .transform(config => ({ ...config, shape: shapeOf(config) }))
      .parse(given),
  )
}

export type StackConfig = ReturnType<typeof readStackConfig>

const checked = <Read>(read: () => Read): Read => {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof z.ZodError)) throw error
    throw new Error(`The stack configuration is not valid:\n${z.prettifyError(error)}`, { cause: error })
  }
}
