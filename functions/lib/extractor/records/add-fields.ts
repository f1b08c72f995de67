import { evaluate } from '../functions/evaluate.ts'
import type { ExpressionContext } from '../functions/expression-types.ts'
import type { Json, JsonObject } from '../tables/json-value.ts'
import { nameTaken } from './record-error.ts'
import { isBlocked, readPath, setAt } from './row-path.ts'

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
export const addFields = (values: Readonly<Record<string, unknown>>, where: string) => {
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
