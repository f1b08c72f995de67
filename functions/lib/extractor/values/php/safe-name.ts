import { md5Digest } from '#lib/digests.ts'

const MAX_LENGTH = 64

/**
 * A path as a table or column name: runs of anything but letters, digits and `-` become one `_`, none at the edges.
 *
 * Names over 64 bytes keep their end, from an underscore on, behind a short mark made of their start: Generic
 * Extractor's names must come out the same, or tables that exist already would get new columns.
 */
export const safeName = (path: string): string => {
  // One underscore per byte, so that letters outside ASCII count in the length as they do in Generic Extractor.
  const name = path.replace(/[^A-Za-z0-9-]/gu, c => '_'.repeat(Buffer.byteLength(c)))
  return shortName(name, name.length)
    .replace(/[^A-Za-z0-9-]+/g, '_')
    .replace(/^_+|_+$/g, '')
}

/** A name of more than 64 `bytes` cut to its end, from a space or an underscore on, behind the mark of its start. */
export const shortName = (name: string, bytes: number): string => {
  if (bytes <= MAX_LENGTH) return name
  const mark = `${countWords(name) > 1 ? wordStarts(name) : md5Digest(name)}_`
  const from = Math.max(0, name.length - (MAX_LENGTH - mark.length))
  const space = name.indexOf(' ', from)
  const cut = space > 0 ? space : name.indexOf('_', from)
  return cut === -1 ? mark : mark + name.slice(cut)
}

/** Words are runs of letters, apostrophes and hyphens, hyphens at the edges of the text aside. */
const countWords = (name: string): number => name.replace(/^-+|-$/g, '').match(/[A-Za-z'-]+/g)?.length ?? 0

/** First characters of what hyphens separate; the underscore belongs to words here. */
const wordStarts = (name: string): string => name.match(/\b\w/g)?.join('') ?? ''
