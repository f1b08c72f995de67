import { UserError } from '#lib/errors/errors.ts'
import { wholeNumber } from '../select/ordering.ts'
import { phpFloat } from './php-number.ts'
import { toBytes, toFloat, toInteger, toPhpText, type Value } from './php-values.ts'

// Each repetition has an end: between flags and width a long run of zeros could be cut at any place
const directive =
  /%(?:(%)|(?:(\d{1,9})\$)?((?:[-+ 0]|'.){0,20})(\d{1,20})?(?:\.(\d{1,20}))?([bcdeEfFgGosuxX]))/gs

const MAX_WIDTH = 65_536
/** PHP, too, uses this precision for any larger one. */
const MAX_DIGITS = 53

/** PHP's `sprintf`: `%2$s`, `%'*10s`, `%05d`, `%.2f` and the rest of its directives; a width is at most 65,536. */
export const sprintf = (format: string, args: readonly Value[], budget: TextBudget): string => {
  let next = 0
  let length = format.length
  return format.replace(directive, (...match) => {
    const [, percent, position, flags, width, precision, type] = match as (string | undefined)[] // groups of `directive`
    if (percent !== undefined) return '%'
    const index = position === undefined ? next++ : Number(position) - 1
    const value = args[index]
    if (value === undefined) {
      throw new UserError(
        'extractor.functions.badArguments',
        `${index + 2} arguments are required, ${args.length + 1} given`,
      )
    }
    if (Number(width ?? 0) > MAX_WIDTH)
      throw new UserError('extractor.functions.badArguments', `sprintf(): a width is at most ${MAX_WIDTH}`)
    const digits = precision === undefined ? undefined : Number(precision)
    const text = convert(type ?? 's', value, digits, flags ?? '')
    const padded = pad(text, flags ?? '', Number(width ?? 0), type ?? 's')
    length += padded.length
    budget.check(length)
    return padded
  })
}

const radixes: Readonly<Record<string, number>> = { u: 10, b: 2, o: 8, x: 16, X: 16 }

const convert = (type: string, value: Value, given: number | undefined, flags: string): string => {
  const precision = given === undefined || type === 's' ? given : Math.min(given, MAX_DIGITS)
  const plus = flags.replace(/'./gs, '').includes('+')
  const signed = (text: string): string => (plus && !text.startsWith('-') ? `+${text}` : text)
  const radix = Object.hasOwn(radixes, type) ? radixes[type] : undefined
  if (radix !== undefined) {
    const text = BigInt.asUintN(64, wholeOf(value)).toString(radix)
    return type === 'X' ? text.toUpperCase() : text
  }
  switch (type) {
    case 's':
      return precision === undefined ? toPhpText(value) : toBytes(value).subarray(0, precision).toString()
    case 'd':
      return signed(`${wholeOf(value)}`)
    case 'c':
      return String.fromCharCode(toInteger(value) & 255)
    case 'e':
    case 'E': {
      const text = toFloat(value).toExponential(precision ?? 6)
      return signed(type === 'E' ? text.toUpperCase() : text)
    }
    case 'g':
    case 'G':
      return signed(general(toFloat(value), precision ?? 6, type))
    default:
      return signed(fixed(toFloat(value), precision ?? 6))
  }
}

/** As `toInteger`, with the digits that a double has no room for. */
const wholeOf = (value: Value): bigint => {
  const whole = wholeNumber(value)
  return typeof whole === 'bigint' ? whole : BigInt(toInteger(value))
}

/** PHP rounds the decimal text that a double shows (1.005 to 1.01), not the double behind it. */
const fixed = (value: number, precision: number): string => {
  const rounded = Number(`${Math.round(Number(`${Math.abs(value)}e${precision}`))}e-${precision}`)
  const size = Number.isFinite(rounded) ? rounded : Math.abs(value)
  return (value < 0 ? '-' : '') + size.toFixed(precision)
}

const general = (value: number, precision: number, type: string): string => {
  const text = Number(value.toPrecision(Math.max(precision, 1)))
  const short = precision === 14 ? phpFloat(value, 14) : `${text}`
  return type === 'G' ? short.toUpperCase() : short
}

const pad = (text: string, flags: string, width: number, type: string): string => {
  const missing = width - Buffer.byteLength(text)
  if (missing <= 0) return text
  const filler = fillerOf(flags)
  const fill = filler.repeat(missing)
  const plain = flags.replace(/'./gs, '')
  if (plain.includes('-')) return text + (filler === '0' && type !== 's' ? ' '.repeat(missing) : fill)
  const sign = /^[+-]/.exec(text)?.[0] ?? ''
  return filler === '0' && type !== 's' ? sign + fill + text.slice(sign.length) : fill + text
}

/** The last of `0`, a space and `'<character>` counts. */
const fillerOf = (flags: string): string => {
  const last = [...flags.matchAll(/'(.)|[ 0]/gs)].at(-1)
  return last?.[1] ?? last?.[0] ?? ' '
}

/** Of all texts that one expression reads and makes, in characters. */
const MAX_TEXT = 16 * 1024 * 1024

/**
 * Bounds the work of one expression: no deadline is looked at while a function computes, and a short expression may ask for
 * a long text, or for the same one a thousand times.
 */
export class TextBudget {
  #left = MAX_TEXT

  /** @throws UserError `extractor.functions.tooLarge` before a text of this length is made */
  check(length: number): void {
    if (length <= this.#left) return
    throw new UserError(
      'extractor.functions.tooLarge',
      `The expression makes more than ${MAX_TEXT} characters of text`,
    )
  }

  spend(length: number): void {
    this.check(length)
    this.#left -= length
  }
}
