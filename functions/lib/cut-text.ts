/** The beginning of a text. It ends in no half of a character (surrogate), with which clients of other languages read no JSON. */
export const cutText = (text: string, most: number): string =>
  text.slice(0, most).replace(/[\uD800-\uDBFF]$/, '')
