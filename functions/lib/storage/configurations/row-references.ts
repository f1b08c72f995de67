import type { Reference } from '../db/document-cache.ts'

/**
 * Row ids with numbers as one text: `first:3 second:1`. A configuration of a thousand rows reads and writes it at every
 * change, and as JSON arrays it takes several times as long. Ids hold neither colons nor spaces.
 */
export const formatReferences = (references: readonly Reference[]): string =>
  references.map(reference => reference.join(':')).join(' ')

export const parseReferences = (text: string): Reference[] =>
  text === '' ? [] : text.split(' ').map(parseReference)

const parseReference = (text: string): Reference => {
  const colon = text.indexOf(':')
  return [text.slice(0, colon), Number(text.slice(colon + 1))]
}
