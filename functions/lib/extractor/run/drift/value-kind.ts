/** What all values of a column are; `null`: it has none. */
export const kinds = ['integer', 'number', 'date', 'timestamp', 'boolean', 'text'] as const

export type ValueKind = (typeof kinds)[number]

const patterns: [ValueKind, RegExp][] = [
  ['integer', /^-?\d{1,18}$/],
  ['number', /^-?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,3})?$/],
  ['date', /^\d{4}-\d{2}-\d{2}$/],
  ['timestamp', /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?\s?(?:Z|[+-]\d{2}:?(?:\d{2})?)?$/],
  ['boolean', /^(?:true|false)$/i],
]

/** No form of a number or a time is longer. */
const LONGEST = 40

/** The narrowest kind that a text (not empty) is of. */
export const kindOf = (text: string): ValueKind =>
  text.length > LONGEST ? 'text' : (patterns.find(([, pattern]) => pattern.test(text))?.[0] ?? 'text')

/** The narrowest kind that holds both. */
export const widest = (a: ValueKind | null, b: ValueKind | null): ValueKind | null => {
  if (a === null || a === b) return b
  if (b === null) return a
  const both = [a, b]
  if (both.every(kind => kind === 'integer' || kind === 'number')) return 'number'
  if (both.every(kind => kind === 'date' || kind === 'timestamp')) return 'timestamp'
  return 'text'
}
