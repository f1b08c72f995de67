export { JsonNumber } from './json-number.ts'
export type { Json, JsonObject } from './json-value.ts'
export type {
  AddOptions,
  TableSink,
  TableSinkCheckpoint,
  TableSinkOptions,
  WrittenTable,
} from './sink-types.ts'
