import * as z from 'zod/mini'

type Schema = z.core.$ZodType

/**
 * What a reader takes of a reply. `true`: it cannot do without; a list, an object of any keys or a flag that a service leaves
 * out is empty or false, without anything else the reply is refused. `false`: it may be missing. A schema: how it is read.
 */
type Wants<Body> = { readonly [Name in keyof Body]?: boolean | Schema }

type Value<Given, Wanted> = Wanted extends Schema
  ? z.output<Wanted>
  : Wanted extends true
    ? NonNullable<Given>
    : Given | null | undefined

type Values<Body, Wanted> = { [Name in keyof Wanted & keyof Body]: Value<Body[Name], Wanted[Name]> }

type MissingNames<Fields> = {
  [Name in keyof Fields]: undefined extends Fields[Name] ? Name : never
}[keyof Fields]

type WithOptional<Fields> = {
  [Name in Exclude<keyof Fields, MissingNames<Fields>>]: Fields[Name]
} & { [Name in MissingNames<Fields>]?: Fields[Name] }

type Flat<Fields> = { [Name in keyof Fields]: Fields[Name] }

type Reader<Body, Wanted> = z.ZodMiniType<Flat<WithOptional<Values<Body, Wanted>>>>

/**
 * The wire's declaration as a reader of any server of the API takes it: fields that nobody wants are not looked at, ids may be
 * numbers or texts, and the empty list of PHP is an empty object.
 */
export const reads = <Of extends z.ZodMiniObject, const Wanted extends Wants<z.output<Of>>>(
  contract: Of,
  wanted: Wanted,
): Reader<z.output<Of>, Wanted> =>
  z.object(fieldsOf(contract, wanted)) as unknown as Reader<z.output<Of>, Wanted> // made of the same two

const fieldsOf = (
  contract: z.ZodMiniObject,
  wanted: Wants<Record<string, unknown>>,
): Record<string, Schema> =>
  Object.fromEntries(
    Object.entries(wanted).map(([name, how]) => {
      if (typeof how === 'object') return [name, how]
      const declared = unwrapped(contract.shape[name])
      return [name, how === true ? orEmpty(declared) : z.nullish(tolerant(declared))]
    }),
  )

const unwrapped = (schema: Schema | undefined): Schema => {
  if (schema === undefined) return z.unknown()
  const { def } = schema._zod as { def: z.core.$ZodTypeDef & { innerType?: Schema } } // of a wrapper
  return def.innerType === undefined ? schema : unwrapped(def.innerType)
}

const empties: Readonly<Record<string, unknown>> = { array: [], record: {}, boolean: false }

const orEmpty = (schema: Schema): Schema => {
  const empty = empties[schema._zod.def.type]
  if (empty === undefined) return tolerant(schema)
  return z._default(
    z.pipe(
      z.transform((value): unknown => value ?? empty),
      tolerant(schema),
    ),
    () => empty,
  )
}

const tolerant = (schema: Schema): Schema => {
  const { def } = schema._zod as {
    def: z.core.$ZodTypeDef & { element?: Schema; shape?: Record<string, Schema> }
  } // of each kind
  switch (def.type) {
    case 'string':
      return z.pipe(
        z.transform(value => (typeof value === 'number' ? String(value) : value)),
        z.string(),
      )
    case 'number':
      return z.pipe(
        z.transform(value => (typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value)),
        z.number(),
      )
    case 'record':
      return z.pipe(
        z.transform(value => (Array.isArray(value) && value.length === 0 ? {} : value)),
        // A copy would lose the order of keys such as `10` and `2`.
        z.record(z.string(), z.unknown()),
      )
    case 'array':
      return z.array(tolerant(def.element ?? z.unknown()))
    case 'object':
      return z.looseObject(
        Object.fromEntries(Object.entries(def.shape ?? {}).map(([name, each]) => [name, tolerant(each)])),
      )
    case 'optional':
    case 'nullable':
      return z.nullish(tolerant(unwrapped(schema)))
    default:
      return schema
  }
}
