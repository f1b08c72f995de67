import type { ReadTime } from './relative-time.ts'

/** One way to write a part of a date or time. `apply` gives false when the text as a whole makes no sense. */
export interface TimeFormat {
  pattern: RegExp
  apply(time: ReadTime, match: RegExpExecArray): boolean | undefined
}

/** A format whose pattern is looked for where the reading has come to. */
export const format = (pattern: string, apply: TimeFormat['apply']): TimeFormat => ({
  pattern: new RegExp(pattern, 'y'),
  apply,
})
