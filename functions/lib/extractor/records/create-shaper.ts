import type { RecordStep } from '../config/records-schema.ts'
import { evaluate } from '../functions/evaluate.ts'
import { isTrue } from '../functions/expression/worked-value.ts'
import type { ExpressionContext } from '../functions/expression-types.ts'
import { isObject } from '../php/php-values.ts'
import type { Json, JsonObject } from '../tables/json-value.ts'
import { addFields } from './add-fields.ts'
import { type CastOutcome, castFields } from './cast-fields.ts'
import { explodeList } from './explode-list.ts'
import { flattenFields } from './flatten-fields.ts'
import { renameFields } from './rename-fields.ts'
import { changeHolders, readPath, withoutMember } from './row-path.ts'

/** What steps need besides the row. */
interface ShapeContext {
  contexts: ExpressionContext
  /** Seconds since 1970. */
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
