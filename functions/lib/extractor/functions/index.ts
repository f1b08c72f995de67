export type { EvaluateOptions, ExpressionContext } from './expression-types.ts'
