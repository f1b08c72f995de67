import { createHash, createHmac } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { UserError } from '#lib/errors/errors.ts'
import type { Json } from '#lib/json/json-value.ts'
import { date } from '../php/date.ts'
import { ByteString, isEmpty, toBytes, toInteger, toPhpText, type Value } from '../php/php-values.ts'
import { sprintf, type TextBudget } from '../php/sprintf.ts'
import { strtotime } from '../php/strtotime.ts'

interface FunctionContext {
  now: number
  budget: TextBudget
}

type Run = (args: readonly Value[], context: FunctionContext) => Value

interface FunctionEntry {
  /** Fewest and most arguments. */
  arity: readonly [number, number]
  run: Run
}

const takes = (fewest: number, most: number, run: Run): FunctionEntry => ({ arity: [fewest, most], run })

const bytesOf = (value: Value = ''): Buffer => toBytes(value)
const textOf = (value: Value = ''): string => toPhpText(value)

const any = Number.POSITIVE_INFINITY

/** `r`: `Thu, 01 Jan 1970 00:00:00 +0000`, and room for years. */
const LONGEST_DATE_PART = 40

/** Of a `Date`. */
const LAST_SECOND = 8.64e12

/** The functions of expressions (docs/reference/extractor-functions.md#functions), by name. Time zone UTC. */
export const functionTable: Readonly<Record<string, FunctionEntry>> = {
  md5: takes(1, 2, ([data, raw]) => hex(digest('md5', bytesOf(data)), raw)),
  sha1: takes(1, 2, ([data, raw]) => hex(digest('sha1', bytesOf(data)), raw)),
  hash: takes(2, 3, ([name, data, raw]) => hex(digest(textOf(name), bytesOf(data)), raw)),
  hash_hmac: takes(3, 4, ([name, data, key, raw]) =>
    hex(hmac(textOf(name), bytesOf(data), bytesOf(key)), raw),
  ),
  base64_encode: takes(1, 1, ([data]) => bytesOf(data).toString('base64')),
  urlencode: takes(1, 1, ([text]) => urlencode(bytesOf(text))),
  time: takes(0, 0, (_args, context) => Math.floor(context.now)),
  date: takes(1, 2, ([format, time], { now, budget }) => {
    const text = textOf(format)
    budget.check(text.length * LONGEST_DATE_PART)
    const seconds = time === undefined || time === null ? now : toInteger(time)
    if (Math.abs(seconds) > LAST_SECOND)
      throw new UserError(
        'extractor.functions.badArguments',
        `date(): ${seconds} is no number of seconds since 1970`,
      )
    return date(text, seconds)
  }),
  strtotime: takes(1, 2, ([text, base], { now }) =>
    strtotime(textOf(text), base === undefined || base === null ? now : toInteger(base)),
  ),
  sprintf: takes(1, any, ([format, ...args], { budget }) => sprintf(textOf(format), args, budget)),
  concat: takes(0, any, (args, { budget }) => joined(args, '', budget)),
  implode: takes(1, 2, (args, context) => implode(args, context)),
  ifempty: takes(2, 2, ([value = null, fallback = null]) => (isEmpty(value) ? fallback : value)),
}

/** @throws UserError `extractor.functions.badArguments` */
export const callFunction = (name: string, args: readonly Value[], context: FunctionContext): Value => {
  const entry = functionTable[name]
  if (entry === undefined) throw new Error(`function '${name}' was let through without being known`)
  const [fewest, most] = entry.arity
  if (args.length < fewest || args.length > most) throw badCount(name, args.length, entry.arity)
  return entry.run(args, context)
}

const badCount = (name: string, given: number, [fewest, most]: readonly [number, number]): UserError => {
  if (name === 'ifempty')
    return new UserError('extractor.functions.badArguments', "Bad argument count for function 'ifempty'!")
  const isTooFew = given < fewest
  const bound = isTooFew ? fewest : most
  const how = fewest === most ? 'exactly' : isTooFew ? 'at least' : 'at most'
  return new UserError(
    'extractor.functions.badArguments',
    `${name}() expects ${how} ${bound} argument${bound === 1 ? '' : 's'}, ${given} given`,
  )
}

const hex = (bytes: Buffer, raw: Value | undefined): Value =>
  raw !== undefined && !isEmpty(raw) ? new ByteString(bytes) : bytes.toString('hex')

/** Glue and list in either order, or a list alone. */
const implode = ([first, second]: readonly Value[], { budget }: FunctionContext): Value => {
  if (Array.isArray(second)) return joined(second, first, budget)
  if (Array.isArray(first)) return joined(first, second, budget)
  throw new UserError(
    'extractor.functions.badArguments',
    'implode(): Argument #2 ($array) must be of type ?array',
  )
}

/** PHP's `urlencode`: space is `+`; only letters, digits, `-`, `_` and `.` stay. */
const urlencode = (bytes: Buffer): string => {
  let text = ''
  for (const byte of bytes) {
    const letter = String.fromCharCode(byte)
    if (/[\w.-]/.test(letter)) text += letter
    else text += letter === ' ' ? '+' : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`
  }
  return text
}

// Maps: an object would find `constructor` too, and names come from outside
const algorithms = new Map([
  ['md5', 'md5'],
  ['sha1', 'sha1'],
  ['sha224', 'sha224'],
  ['sha256', 'sha256'],
  ['sha384', 'sha384'],
  ['sha512', 'sha512'],
  ['sha512/224', 'sha512-224'],
  ['sha512/256', 'sha512-256'],
  ['sha3-224', 'sha3-224'],
  ['sha3-256', 'sha3-256'],
  ['sha3-384', 'sha3-384'],
  ['sha3-512', 'sha3-512'],
  ['ripemd160', 'ripemd160'],
])

/** Digest by PHP's names of algorithms, as bytes. */
const digest = (algorithm: string, data: Buffer): Buffer => {
  const name = algorithm.toLowerCase()
  const checksum = checksums.get(name)
  if (checksum !== undefined) return checksum(data)
  return createHash(known(name, 'hash')).update(data).digest()
}

const hmac = (algorithm: string, data: Buffer, key: Buffer): Buffer =>
  createHmac(known(algorithm.toLowerCase(), 'hash_hmac'), key).update(data).digest()

const known = (name: string, caller: string): string => {
  const algorithm = algorithms.get(name)
  if (algorithm !== undefined) return algorithm
  const kind = caller === 'hash' ? 'hashing algorithm' : 'cryptographic hashing algorithm'
  throw new UserError(
    'extractor.functions.badArguments',
    `${caller}(): Argument #1 ($algo) must be a valid ${kind}, '${name}' given (known: ${[...algorithms.keys()].join(', ')})`,
  )
}

const checksums = new Map<string, (data: Buffer) => Buffer>([
  ['crc32b', data => uint32(crc32(data))],
  ['adler32', data => adler32(data)],
  ['fnv132', data => fnv(data, (hash, byte) => Math.imul(hash, FNV_PRIME) ^ byte)],
  ['fnv1a32', data => fnv(data, (hash, byte) => Math.imul(hash ^ byte, FNV_PRIME))],
])

const adler32 = (data: Buffer): Buffer => {
  let a = 1
  let b = 0
  for (const byte of data) {
    a = (a + byte) % 65_521
    b = (b + a) % 65_521
  }
  return uint32(b * 65_536 + a)
}

const FNV_PRIME = 0x01000193

const fnv = (data: Buffer, step: (hash: number, byte: number) => number): Buffer => {
  let hash = 0x811c9dc5
  for (const byte of data) hash = step(hash, byte)
  return uint32(hash >>> 0)
}

const uint32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value >>> 0)
  return bytes
}

/** Parts with `glue` between them: text, or bytes as soon as one of them is bytes. */
const joined = (parts: readonly Value[], glue: Value | undefined = '', budget: TextBudget): Value => {
  const glued = Math.max(0, parts.length - 1) * sizeOf(glue)
  budget.check(parts.reduce<number>((sum, part) => sum + sizeOf(part), glued))
  if (![...parts, glue].some(part => part instanceof ByteString))
    return parts.map(toPhpText).join(toPhpText(glue))
  const pieces = parts.flatMap((part, i) => (i === 0 ? [toBytes(part)] : [toBytes(glue), toBytes(part)]))
  return new ByteString(Buffer.concat(pieces))
}

/** Length in characters, or in bytes of a `ByteString`. Numbers and the like are too short to count. */
export const sizeOf = (value: Value): number => {
  if (typeof value === 'string') return value.length
  return value instanceof ByteString ? value.bytes.length : 0
}

/**
 * What references can name: `{ "attr": "a.b" }` reads `context.attr`, flattened with dots, list positions as keys.
 * Which contexts exist depends on the place (docs/reference/extractor-functions.md#contexts); a reference to any
 * other name stays an object.
 */
export type ExpressionContext = Readonly<Record<string, Json>>

export interface EvaluateOptions {
  /** Where the expression stands, for messages: `config.jobs.0.params.since`. */
  path?: string | undefined
  /** `urlencode` is a function here, and nowhere else. */
  isPlaceholder?: boolean
  /** Seconds since 1970 for `time()`, `date(format)` and relative texts of `strtotime`. Default: the system clock. */
  now?: number | undefined
}
