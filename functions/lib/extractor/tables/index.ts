export { JsonNumber } from '../php/json-number.ts'
export { decodeBody } from './decode-body.ts'
export type { Json, JsonObject } from './json-value.ts'
export { parseJson } from './parse-json.ts'
export type {
  AddOptions,
  TableSink,
  TableSinkCheckpoint,
  TableSinkOptions,
  WrittenTable,
} from './sink-types.ts'
export { createTableSink } from './table-sink.ts'
