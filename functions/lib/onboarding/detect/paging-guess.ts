import type { Json } from '#lib/json/json-value.ts'

/** A way to the next page that an answer points at, still to be proven. */
export interface PagingGuess {
  pagination: { method: string; [key: string]: Json }
  why: string
  /** Parameters of the request that the pagination sends itself. */
  replaces: string[]
  /** It is usual, and nothing in the request or the answer speaks for it. */
  isHabit?: true
}

/** A request with its answer, as far as pages can be seen in them. */
export interface SeenAnswer {
  /** The query, or the members of the body. */
  params: Readonly<Record<string, Json>>
  method: 'GET' | 'POST'
  answer: Json
  items: readonly Json[]
  itemKeys: readonly string[]
  /** Headers of the answer: `Link` and `X-Total-Count`. */
  link: string | undefined
  total: string | undefined
  isGraphql: boolean
}

/** A number of a page or a position, as a parameter has it; times since 1970 are larger. */
export const isPosition = (value: unknown): boolean =>
  /^\d{1,8}$/.test(typeof value === 'number' || typeof value === 'string' ? String(value) : '')
