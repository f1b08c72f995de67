import { z } from 'zod'
import { mostBodyBytes } from '../body/receive-body.ts'
import { S3Error } from '../errors.ts'

/** What a form must be like (S3 API Reference, "POST Policy"). */
interface PostPolicy {
  expiration: Date
  conditions: readonly FieldCondition[]
  /** Bytes of the file, both included. */
  size: { least: number; most: number }
}

/** The name of the field in lower case. */
type FieldCondition = readonly [kind: 'eq' | 'starts-with', field: string, value: string]

const field = z
  .string()
  .regex(/^\$./)
  .transform(name => name.slice(1).toLowerCase())
const digits = z
  .string()
  .regex(/^\d{1,15}$/)
  .transform(Number)
const count = z.union([z.int().min(0), digits])

const conditionSchema = z.union([
  z.tuple([z.enum(['eq', 'starts-with']), field, z.string()]),
  z.tuple([z.literal('content-length-range'), count, count]),
  z
    .record(z.string(), z.string())
    .refine(pairs => Object.keys(pairs).length === 1)
    .transform((pairs): FieldCondition => {
      const [name = '', value = ''] = Object.entries(pairs)[0] ?? []
      return ['eq', name.toLowerCase(), value]
    }),
])

const policySchema = z.strictObject({
  expiration: z.iso.datetime().transform(text => new Date(text)),
  conditions: z.array(conditionSchema),
})

/** Reads the field `policy`, JSON in base64. Throws InvalidPolicyDocument. */
export const readPostPolicy = (base64: string): PostPolicy => {
  const parsed = policySchema.safeParse(readJson(Buffer.from(base64, 'base64').toString()))
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    throw invalidPolicy(`${issue?.path.join('.') || 'the document'} is not valid`)
  }
  const { expiration, conditions } = parsed.data
  const ranges = conditions.filter(one => one[0] === 'content-length-range')
  return {
    expiration,
    conditions: conditions.filter(one => one[0] !== 'content-length-range'),
    size: {
      least: Math.max(0, ...ranges.map(([, least]) => least)),
      most: Math.min(mostBodyBytes, ...ranges.map(([, , most]) => most)),
    },
  }
}

const readJson = (text: string): unknown => {
  try {
    // The policy language has one escape that JSON has not: `\$`.
    return JSON.parse(text.replaceAll(/\\(.)/gs, (pair, char) => (char === '$' ? '$' : pair)))
  } catch {
    throw invalidPolicy('Invalid JSON')
  }
}

const invalidPolicy = (reason: string): S3Error =>
  new S3Error('InvalidPolicyDocument', `Invalid Policy: ${reason}.`)

/** Fields that need no condition: they cannot be part of what they sign. */
const isExempt = (name: string): boolean =>
  ['policy', 'x-amz-signature', 'signature', 'awsaccesskeyid', 'file', 'bucket'].includes(name) ||
  name.startsWith('x-ignore-')

/**
 * Throws AccessDenied unless every condition holds, and every field has one. `fields` holds the bucket's name as
 * `bucket`, and has no `${filename}` left.
 */
export const checkPostPolicy = (policy: PostPolicy, fields: ReadonlyMap<string, string>): void => {
  if (Date.now() > policy.expiration.getTime()) throw denied('Policy expired.')
  const failed = policy.conditions.find(condition => !holds(condition, fields))
  if (failed !== undefined)
    throw denied(`Policy Condition failed: ${JSON.stringify([failed[0], `$${failed[1]}`, failed[2]])}`)
  const named = new Set(policy.conditions.map(([, name]) => name))
  const extra = [...fields.keys()].filter(name => !named.has(name) && !isExempt(name))
  if (extra.length > 0) throw denied(`Extra input fields: ${extra.join(', ')}`)
}

const holds = ([kind, name, value]: FieldCondition, fields: ReadonlyMap<string, string>): boolean => {
  const given = fields.get(name)
  if (given === undefined) return false
  if (kind === 'eq') return given === value
  // A list of types: each must match.
  const all = name === 'content-type' ? given.split(',').map(type => type.trim()) : [given]
  return all.every(one => one.startsWith(value))
}

const denied = (reason: string): S3Error =>
  new S3Error('AccessDenied', `Invalid according to Policy: ${reason}`)
