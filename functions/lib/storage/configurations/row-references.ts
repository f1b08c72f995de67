import type { Reference } from '../db/document-cache.ts'

/**
 * Row ids with version numbers as one text: `first:3 second:1`. Each change of a configuration reads and writes up to a
 * thousand of them, several times faster than as JSON arrays. Colons and spaces of an id are escaped as in an address.
 */
export const formatReferences = (references: readonly Reference[]): string =>
  references.map(([id, version]) => `${encodeURIComponent(id)}:${version}`).join(' ')

export const parseReferences = (text: string): Reference[] =>
  text === '' ? [] : text.split(' ').map(parseReference)

const parseReference = (text: string): Reference => {
  const colon = text.indexOf(':')
  const id = text.slice(0, colon)
  // Few ids have anything to decode, and there may be thousands.
  return [id.includes('%') ? decodeURIComponent(id) : id, Number(text.slice(colon + 1))]
}
