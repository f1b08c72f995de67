import { UserError } from '#lib/errors/errors.ts'
import { ByteString, type Value } from '../php/byte-string.ts'
import { date } from '../php/date.ts'
import { toBytes, toInteger, toPhpText } from '../php/php-cast.ts'
import { isEmpty } from '../php/php-values.ts'
import { sprintf } from '../php/sprintf.ts'
import { strtotime } from '../php/strtotime.ts'
import type { TextBudget } from '../php/text-budget.ts'
import { digest, hmac } from './digest.ts'
import { joined } from './joined.ts'

interface FunctionContext {
  now: number
  budget: TextBudget
}

interface FunctionEntry {
  /** Fewest and most arguments. */
  arity: readonly [number, number]
  run(args: readonly Value[], context: FunctionContext): Value
}

const any = Number.POSITIVE_INFINITY

/** `r`: `Thu, 01 Jan 1970 00:00:00 +0000`, and room for years. */
const LONGEST_DATE_PART = 40

/** The functions of expressions (docs/reference/extractor-functions.md#functions), by name. Time zone UTC. */
export const functionTable: Readonly<Record<string, FunctionEntry>> = {
  md5: { arity: [1, 2], run: ([data, raw]) => hex(digest('md5', toBytes(data ?? '')), raw) },
  sha1: { arity: [1, 2], run: ([data, raw]) => hex(digest('sha1', toBytes(data ?? '')), raw) },
  hash: {
    arity: [2, 3],
    run: ([name, data, raw]) => hex(digest(toPhpText(name ?? ''), toBytes(data ?? '')), raw),
  },
  hash_hmac: {
    arity: [3, 4],
    run: ([name, data, key, raw]) =>
      hex(hmac(toPhpText(name ?? ''), toBytes(data ?? ''), toBytes(key ?? '')), raw),
  },
  base64_encode: { arity: [1, 1], run: ([data]) => toBytes(data ?? '').toString('base64') },
  urlencode: { arity: [1, 1], run: ([text]) => urlencode(toBytes(text ?? '')) },
  time: { arity: [0, 0], run: (_args, context) => Math.floor(context.now) },
  date: {
    arity: [1, 2],
    run: ([format, time], { now, budget }) => {
      const text = toPhpText(format ?? '')
      budget.check(text.length * LONGEST_DATE_PART)
      return date(text, time === undefined || time === null ? now : toInteger(time))
    },
  },
  strtotime: {
    arity: [1, 2],
    run: ([text, base], context) =>
      strtotime(toPhpText(text ?? ''), base === undefined || base === null ? context.now : toInteger(base)),
  },
  sprintf: {
    arity: [1, any],
    run: ([format, ...args], { budget }) => sprintf(toPhpText(format ?? ''), args, budget),
  },
  concat: { arity: [0, any], run: (args, { budget }) => joined(args, '', budget) },
  implode: { arity: [1, 2], run: (args, context) => implode(args, context) },
  ifempty: {
    arity: [2, 2],
    run: ([value, fallback]) => (isEmpty(value ?? null) ? (fallback ?? null) : (value ?? null)),
  },
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
