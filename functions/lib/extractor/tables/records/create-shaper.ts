import type { Json, JsonObject } from '#lib/json/json-value.ts'
import { isObject } from '#lib/json/json-value.ts'
import type { RecordStep } from '../../config/records-schema.ts'
import { evaluate } from '../../values/functions/evaluate.ts'
import { isTrue } from '../../values/functions/expression/worked-value.ts'
import type { ExpressionContext } from '../../values/functions/expression-types.ts'
import {
  changeHolders,
  findAt,
  isBlocked,
  readPath,
  setAt,
  withoutMember,
} from '../../values/select/row-path.ts'
import { type CastOutcome, castFields } from './cast-fields.ts'
import { flattenFields } from './flatten-fields.ts'
import { nameTaken } from './record-error.ts'
import { renameFields } from './rename-fields.ts'

interface ShapeContext {
  contexts: ExpressionContext
  now: number
  onCast(field: string, outcome: CastOutcome): void
}

/** The rows of tables that become of items, one at a time. */
export type Shaper = (items: readonly Json[], context: ShapeContext) => Generator<Json>

type Step =
  | { kind: 'one'; change: (row: JsonObject, context: ShapeContext) => JsonObject }
  | { kind: 'many'; rows: (row: JsonObject) => Generator<JsonObject> }
  | { kind: 'filter'; holds: (row: JsonObject, context: ShapeContext) => boolean }

/**
 * Reads `records` of a job (docs/reference/extractor-records.md). Items that are no objects pass as they are.
 *
 * @param where for messages: `jobs.0.records`
 */
export const createShaper = (records: readonly RecordStep[], where: string): Shaper => {
  const steps = records.map((step, index) => readStep(step, `${where}.${index}`))

  function* shaped(row: JsonObject, from: number, context: ShapeContext): Generator<JsonObject> {
    let current = row
    for (let at = from; at < steps.length; at++) {
      const step = steps[at] as Step // below the length
      if (step.kind === 'many') {
        for (const part of step.rows(current)) yield* shaped(part, at + 1, context)
        return
      }
      if (step.kind === 'one') current = step.change(current, context)
      else if (!step.holds(current, context)) return
    }
    yield current
  }

  return function* (items, context) {
    for (const item of items) {
      if (isObject(item)) yield* shaped(item, 0, context)
      else yield item
    }
  }
}

const readStep = (
  { filter, rename, remove, add, flatten, explode, cast }: RecordStep,
  where: string,
): Step => {
  if (filter !== undefined) {
    const holds: Extract<Step, { kind: 'filter' }>['holds'] = (row, { contexts, now }) =>
      isTrue(evaluate(filter, { ...contexts, row }, { path: `${where}.filter`, now }))
    return { kind: 'filter', holds }
  }
  if (rename !== undefined) return { kind: 'one', change: renameFields(rename) }
  if (remove !== undefined) {
    const paths = [remove].flat().map(readPath)
    const change = (row: JsonObject) =>
      paths.reduce((rest, path) => changeHolders(rest, path, withoutMember) as JsonObject, row) // an object stays one
    return { kind: 'one', change }
  }
  if (add !== undefined) {
    const change = addFields(add, where)
    return { kind: 'one', change: (row, { contexts, now }) => change(row, contexts, now) }
  }
  if (flatten !== undefined) return { kind: 'one', change: flattenFields(flatten) }
  if (explode !== undefined) return { kind: 'many', rows: explodeList(explode) }
  if (cast !== undefined) {
    const change = castFields(cast)
    return { kind: 'one', change: (row, { onCast }) => change(row, onCast) }
  }
  throw new Error(`${where} was let through without a step`)
}

/**
 * Fields with values of their own, or worked out from the row as it was before the step. A field that is there is replaced in its
 * place: so a value is masked or put in another form.
 *
 * ```
 * {"mail": {"function": "md5", "args": [{"row": "mail"}]}}
 * ```
 *
 * @param where for messages
 * @throws UserError `extractor.records.nameTaken`, and as expressions do
 */
const addFields = (values: Readonly<Record<string, unknown>>, where: string) => {
  const fields = Object.entries(values).map(([name, expression]) => ({
    path: readPath(name),
    expression,
    at: `${where}.add.${name}`,
  }))
  return (row: JsonObject, contexts: ExpressionContext, now: number): JsonObject => {
    const all = { ...contexts, row }
    const worked = fields.map(({ path, expression, at }): [typeof path, Json] => [
      path,
      evaluate(expression, all, { path: at, now, mayLack: 'row' }),
    ])
    return worked.reduce((shaped, [path, value]) => {
      if (isBlocked(shaped, path)) throw nameTaken('add', path.map(({ key }) => key).join('.'))
      return setAt(shaped, path, value)
    }, row)
  }
}

interface ExplodeOptions {
  path: string
  empty?: 'keep' | 'drop' | undefined
  index?: string | undefined
}

/**
 * A row for each element of a list, with the element in the place of the list and all other fields as they are, the key too.
 * One at a time: several long lists of a row give the product of their lengths. A single value counts as a list of one.
 *
 * ```
 * "sizes"    {"id": 1, "sizes": ["S", "M"]}    {"id": 1, "sizes": "S"}, {"id": 1, "sizes": "M"}
 * ```
 *
 * @throws UserError `extractor.records.nameTaken` for `index`
 */
export const explodeList = (given: string | ExplodeOptions): ((row: JsonObject) => Generator<JsonObject>) => {
  const { path, empty = 'keep', index }: ExplodeOptions = typeof given === 'string' ? { path: given } : given
  const steps = readPath(path)
  const position = index === undefined ? undefined : readPath(index)

  const numbered = (row: JsonObject, at: Json): JsonObject => {
    if (position === undefined) return row
    if (isBlocked(row, position) || findAt(row, position) !== undefined)
      throw nameTaken('explode', index ?? '')
    return setAt(row, position, at)
  }

  return function* (row) {
    const found = findAt(row, steps)
    const elements = found === undefined || found.value === null ? [] : [found.value].flat(1)
    if (elements.length > 0) {
      for (const [at, element] of elements.entries()) yield numbered(setAt(row, steps, element), at)
      return
    }
    // Without the list, which would be a column beside those of elements that are objects
    if (empty === 'keep') yield changeHolders(row, steps, withoutMember) as JsonObject // an object stays one
  }
}
