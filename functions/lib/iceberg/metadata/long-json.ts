// The library types of TypeScript lack the source text of numbers and raw JSON (TC39: "JSON.parse source text access").
interface NumberSource {
  source?: string
}
type Reviver = (key: string, value: unknown, context: NumberSource) => unknown
interface LongJson {
  parse(text: string, reviver: Reviver): unknown
  rawJSON(text: string): unknown
}
const longJson: LongJson = JSON as unknown as LongJson

const wholeNumber = /^-?\d+$/

/**
 * Parses JSON whose whole numbers may have 64 bits, as ids of snapshots have. Those beyond the safe range of a `number`
 * come out as `bigint`, exactly.
 */
export const parseLongJson = (text: string): unknown =>
  longJson.parse(text, (_key, value, { source }) =>
    typeof value === 'number' && !Number.isSafeInteger(value) && wholeNumber.test(source ?? '')
      ? BigInt(source ?? '')
      : value,
  )

/** The JSON text of a value, in which a `bigint` is a number with all its digits. */
export const formatLongJson = (value: unknown): string =>
  JSON.stringify(value, (_key, inner: unknown) =>
    typeof inner === 'bigint' ? longJson.rawJSON(String(inner)) : inner,
  )
