import { UserError } from '#lib/errors/errors.ts'
import type { Json, JsonObject } from '#lib/json/json-value.ts'
import type { CastTarget, RecordStep } from '../../config/records-schema.ts'
import { changeHolders, readPath, withMember } from '../../values/select/row-path.ts'
import { castValue, textOf } from './cast-value.ts'

/** What became of a value that cannot be of its type. */
export type CastOutcome = 'empty' | 'keep'

type Casts = NonNullable<RecordStep['cast']>

const MAX_SHOWN = 60

export const targetOf = (written: Casts[string]): CastTarget =>
  typeof written === 'string' ? { to: written, format: undefined, invalid: undefined } : written

/**
 * Values as those of a type. An empty text counts as no value, but for `string`.
 *
 * ```
 * {"price": "number"}    {"price": " 12.50 "}    {"price": "12.50"}
 * ```
 *
 * @throws UserError `extractor.records.cast` for an impossible value, unless `invalid` says what becomes of it
 */
export const castFields = (casts: Casts) => {
  const fields = Object.entries(casts).map(([name, written]) => {
    const target = targetOf(written)
    return { name, path: readPath(name), target, cast: castValue(target) }
  })
  return (row: JsonObject, onCast: (field: string, outcome: CastOutcome) => void): JsonObject =>
    fields.reduce(
      (shaped, { name, path, target, cast }) =>
        changeHolders(shaped, path, (holder, key) => {
          const value = Object.hasOwn(holder, key) ? (holder[key] ?? null) : null
          if (value === null) return holder
          const made = cast(value)
          if (made !== undefined) return made === value ? holder : withMember(holder, key, made)
          const { invalid = 'fail' } = target
          if (invalid === 'fail') throw impossible(name, value, target)
          onCast(name, invalid)
          return withMember(holder, key, invalid === 'empty' ? null : textOf(value))
        }) as JsonObject, // an object stays one
      row,
    )
}

const impossible = (field: string, value: Json, { to, format }: CastTarget): UserError => {
  const text = textOf(value)
  const shown = text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text
  const kind = format === undefined ? to : `${to} (${format})`
  return new UserError(
    'extractor.records.cast',
    `'${field}' is "${shown}", which cannot be of the type ${kind}. With "invalid": "empty" or "keep" the run goes on.`,
    { params: { field } },
  )
}
