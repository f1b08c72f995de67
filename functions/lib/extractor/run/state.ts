import { JsonNumber } from '../../json/json-number.ts'
import type { Json } from '../../json/json-value.ts'
import { isObject } from '../../json/json-value.ts'
import type { ReplacedToken } from '../requests/http/authenticator.ts'
import type { TableSink } from '../tables/table-sink.ts'

/** `in/state.json` as far as we read it (docs/reference/extractor.md#state); unknown keys are kept. */
interface InputState {
  previousStart: number
  structure: unknown
  structVersion: number | undefined
  highWaterMarks: Record<string, Json>
  refreshTokens: Json | undefined
}

/** Reads what an earlier run left. A state of any shape is taken: what cannot be read counts as absent. */
export const readState = (state: unknown): InputState => {
  const root = asObject(state)
  const previousStart = Number(asObject(root['time'])['previousStart'] ?? 0)
  const version = Number(root['json_parser.structVersion'])
  return {
    previousStart: Number.isNaN(previousStart) ? 0 : previousStart,
    structure: root['json_parser.struct'],
    structVersion: Number.isNaN(version) ? undefined : version,
    highWaterMarks: ofAll(asObject(asObject(root['millrace'])['highWaterMarks']), readMark),
    refreshTokens: asObject(root['millrace'])['refreshTokens'],
  }
}

/** The state after a successful run: the state before it, with new times, learnt structure and marks. */
export const nextState = (
  input: unknown,
  run: {
    currentStart: number
    learnt: ReturnType<TableSink['structure']> | undefined
    highWaterMarks: Record<string, Json>
    refreshTokens: readonly ReplacedToken[]
  },
): Record<string, Json> => {
  const root = asObject(input)
  const { currentStart, learnt, highWaterMarks, refreshTokens } = run
  const own = {
    ...asObject(root['millrace']),
    ...(Object.keys(highWaterMarks).length === 0 ? {} : { highWaterMarks: ofAll(highWaterMarks, writeMark) }),
    ...(refreshTokens.length === 0 ? {} : { refreshTokens: refreshTokens as unknown as Json }), // objects of texts
  }
  return {
    ...root,
    time: { ...asObject(root['time']), previousStart: currentStart },
    ...(learnt === undefined
      ? {}
      : { 'json_parser.struct': learnt.struct as Json, 'json_parser.structVersion': learnt.structVersion }), // JSON by its contract
    ...(Object.keys(own).length === 0 ? {} : { millrace: own }),
  }
}

/** The state as it came, with refresh tokens that a login has just given. */
export const stateWithTokens = (
  input: unknown,
  refreshTokens: readonly ReplacedToken[],
): Record<string, Json> => {
  const root = asObject(input)
  const own = { refreshTokens: refreshTokens as unknown as Json } // objects of texts
  return { ...root, millrace: { ...asObject(root['millrace']), ...own } }
}

const ofAll = (marks: Record<string, Json>, change: (mark: Json) => Json): Record<string, Json> =>
  Object.fromEntries(Object.entries(marks).map(([name, mark]) => [name, change(mark)]))

/** A number whose digits are lost where the state is read as plain JSON, which would ask for other rows. */
const writeMark = (mark: Json): Json => (mark instanceof JsonNumber ? { number: mark.text } : mark)

const readMark = (mark: Json): Json =>
  isObject(mark) && typeof mark['number'] === 'string' ? new JsonNumber(mark['number']) : mark

const asObject = (value: unknown): Record<string, Json> => (isObject(value) ? value : {})
