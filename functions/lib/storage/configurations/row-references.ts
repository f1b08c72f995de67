import type { Reference } from '../db/document-cache.ts'

/**
 * Row ids with version numbers as one text: `first:3 second:1`. Each change of a configuration reads and writes up to a
 * thousand of them, several times faster than as JSON arrays. Ids hold neither colons nor spaces.
 */
export const formatReferences = (references: readonly Reference[]): string =>
  references.map(reference => reference.join(':')).join(' ')

export const parseReferences = (text: string): Reference[] =>
  text === '' ? [] : text.split(' ').map(parseReference)

const parseReference = (text: string): Reference => {
  const colon = text.indexOf(':')
  return [text.slice(0, colon), Number(text.slice(colon + 1))]
}
