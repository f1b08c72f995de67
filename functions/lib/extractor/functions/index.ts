export { strtotime } from '../php/strtotime.ts'
export { evaluate } from './evaluate.ts'
export { expressionSchema } from './expression-schema.ts'
export type { EvaluateOptions, ExpressionContext } from './expression-types.ts'
