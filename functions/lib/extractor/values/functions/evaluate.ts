import { didYouMean } from '#lib/errors/did-you-mean.ts'
import { UserError } from '#lib/errors/errors.ts'
import { JsonNumber } from '#lib/json/json-number.ts'
import { isObject, type Json, type JsonObject, mapFields } from '#lib/json/json-value.ts'
import { ByteString, type Value } from '../php/php-values.ts'
import { TextBudget } from '../php/sprintf.ts'
import {
  callFunction,
  type EvaluateOptions,
  type ExpressionContext,
  functionTable,
  sizeOf,
} from './function-table.ts'
/**
 * The value of an expression (docs/reference/extractor-functions.md#extractor-functions): `{ "function", "args" }` is
 * called, an object with one key that names a context is a reference, other objects and lists are walked through, everything
 * else is itself.
 *
 * @throws UserError `extractor.functions.unknownFunction`, `extractor.functions.notFound`, `extractor.functions.badArguments`;
 * all messages begin with `User script error:` as in Generic Extractor and end with the path
 */
export const evaluate = (
  expression: unknown,
  context: ExpressionContext,
  options: EvaluateOptions = {},
): Json => {
  const evaluation = new Evaluation(context, options)
  try {
    return toJson(evaluation.value(expression as Json)) // configurations are JSON
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    const where = options.path === undefined ? '' : ` (in ${options.path})`
    throw new UserError(error.code, `User script error: ${error.message}${where}`, {
      params: { ...error.params, ...(options.path === undefined ? {} : { path: options.path }) },
      cause: error,
    })
  }
}

class Evaluation {
  readonly #context: ExpressionContext
  readonly #now: number
  readonly #isPlaceholder: boolean
  readonly #budget = new TextBudget()

  constructor(context: ExpressionContext, options: EvaluateOptions) {
    this.#context = context
    this.#now = options.now ?? Date.now() / 1000
    this.#isPlaceholder = options.isPlaceholder === true
  }

  value(expression: Json): Value {
    if (Array.isArray(expression)) return expression.map(item => this.value(item)) as Json[] // bytes only pass through
    if (typeof expression !== 'object' || expression === null || expression instanceof JsonNumber)
      return expression
    if (Object.hasOwn(expression, 'function')) return this.#call(expression)
    const keys = Object.keys(expression)
    const [only] = keys
    if (keys.length === 1 && only !== undefined && Object.hasOwn(this.#context, only)) {
      return this.#reference(only, expression[only])
    }
    return mapFields(expression, item => this.value(item as Json)) as JsonObject // likewise
  }

  #call(expression: JsonObject): Value {
    const name = expression['function']
    if (typeof name !== 'string' || !isAllowed(name, this.#isPlaceholder))
      throw unknownFunction(name, this.#isPlaceholder)
    const args = expression['args'] ?? []
    const list = Array.isArray(args) ? args : isObject(args) ? Object.values(args) : [args]
    const result = callFunction(
      name,
      list.map(arg => this.value(arg)),
      { now: this.#now, budget: this.#budget },
    )
    this.#budget.spend(sizeOf(result))
    return result
  }

  #reference(name: string, path: Json | undefined): Json {
    if (typeof path === 'object' && path !== null && !(path instanceof JsonNumber)) {
      throw new UserError(
        'extractor.functions.notFound',
        `Error evaluating user function - ${name} '${JSON.stringify(path)}' is not a string!`,
      )
    }
    const value = flatten(this.#context[name] ?? {}).get(String(path))
    if (value === undefined || value === null) {
      throw new UserError(
        'extractor.functions.notFound',
        `Error evaluating user function - ${name} '${String(path)}' not found!`,
        { params: { context: name, reference: String(path) } },
      )
    }
    this.#budget.spend(sizeOf(value))
    return value
  }
}

const isAllowed = (name: string, isPlaceholder: boolean): boolean =>
  Object.hasOwn(functionTable, name) && (isPlaceholder || name !== 'urlencode')

const unknownFunction = (name: Json | undefined, isPlaceholder: boolean): UserError => {
  const shown = typeof name === 'string' ? name : JSON.stringify(name)
  const known = Object.keys(functionTable).filter(known => isAllowed(known, isPlaceholder))
  const meant = didYouMean(shown, known)
  const hint = meant === undefined ? ` Functions are ${known.join(', ')}.` : ` Did you mean '${meant}'?`
  return new UserError('extractor.functions.unknownFunction', `Illegal function '${shown}'!${hint}`, {
    params: { function: shown },
  })
}

/** Raw digests that no function took up become text. */
const toJson = (value: Value): Json => {
  if (value instanceof ByteString) return value.bytes.toString()
  if (Array.isArray(value)) return value.map(toJson)
  if (typeof value !== 'object' || value === null || value instanceof JsonNumber) return value
  return mapFields(value, inner => toJson(inner as Value))
}

/** Cached: all expressions read the same objects, which never change. */
const flattened = new WeakMap<object, ReadonlyMap<string, Json>>()

/** Leaves by path: keys and list positions joined with dots. Empty lists and objects have no leaf. */
const flatten = (value: Json): ReadonlyMap<string, Json> => {
  if (typeof value !== 'object' || value === null) return leavesOf(value)
  const leaves = flattened.get(value) ?? leavesOf(value)
  flattened.set(value, leaves)
  return leaves
}

const leavesOf = (value: Json): ReadonlyMap<string, Json> => {
  const leaves = new Map<string, Json>()
  const walk = (current: Json, path: string): void => {
    if (typeof current !== 'object' || current === null || current instanceof JsonNumber) {
      leaves.set(path, current)
      return
    }
    for (const [key, inner] of Object.entries(current)) walk(inner, path === '' ? key : `${path}.${key}`)
  }
  walk(value, '')
  return leaves
}

/** Evaluates every value of an object; names stay. `path` is where the object stands, for messages. */
export type EvaluateValues = (
  values: Readonly<Record<string, unknown>>,
  context: ExpressionContext,
  path: string,
  options?: {
    /** Leaves lists as they are: in headers a list is several values, not something to work out. */
    skipLists?: boolean
  },
) => Record<string, Json>

/** `now` gives seconds since 1970; expressions read the clock of the extraction, not of the system. */
export const createEvaluateValues =
  (now: () => number): EvaluateValues =>
  (values, context, path, { skipLists = false } = {}) => {
    const result: Record<string, Json> = {}
    for (const [name, value] of Object.entries(values)) {
      result[name] =
        skipLists && Array.isArray(value)
          ? value
          : evaluate(value, context, { path: `${path}.${name}`, now: Math.floor(now()) })
    }
    return result
  }
