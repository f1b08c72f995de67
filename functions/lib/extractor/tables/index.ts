export { JsonNumber } from '../php/json-number.ts'
export { safeName } from '../php/safe-name.ts'
export { decodeBody } from './decode-body.ts'
export type { Json, JsonObject } from './json-value.ts'
export { readMapping } from './mapping.ts'
export { tablesOfMapping } from './mapping-tables.ts'
export { parseJson } from './parse-json.ts'
export type {
  AddOptions,
  TableLoad,
  TableSink,
  TableSinkCheckpoint,
  TableSinkOptions,
  WrittenTable,
} from './sink-types.ts'
export { removeTables, tableFileName } from './table-file.ts'
export { createTableSink } from './table-sink.ts'
