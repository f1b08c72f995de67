import { UserError } from '#lib/errors/errors.ts'

/** Of all texts that one expression reads and makes, in characters. */
const MAX_TEXT = 16 * 1024 * 1024

/**
 * Bounds the work of one expression: no deadline is looked at while a function computes, and a short expression may ask for
 * a long text, or for the same one a thousand times.
 */
export class TextBudget {
  #left = MAX_TEXT

  /** @throws UserError `extractor.functions.tooLarge` before a text of this length is made */
  check(length: number): void {
    if (length <= this.#left) return
    throw new UserError(
      'extractor.functions.tooLarge',
      `The expression makes more than ${MAX_TEXT} characters of text`,
    )
  }

  spend(length: number): void {
    this.check(length)
    this.#left -= length
  }
}
