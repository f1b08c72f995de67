import leven from 'leven'

/**
 * The known name that a misspelt one was probably meant to be: equal but for case and separators, else at most a third
 * of its letters away, two of a short one and one of a very short one. `undefined` when none is close.
 */
export const didYouMean = (given: string, known: readonly string[]): string | undefined => {
  if (given.length > MAX_LENGTH) return undefined
  const others = known.filter(name => name !== given)
  const alike = others.find(name => plain(name) !== '' && plain(name) === plain(given))
  if (alike !== undefined) return alike
  const allowed = given.length < 5 ? 1 : Math.max(2, Math.floor(given.length / 3))
  const ranked = others
    .map(name => ({ name, distance: leven(given.toLowerCase(), name.toLowerCase()) }))
    .filter(({ name, distance }) => distance <= allowed && distance < name.length / 2)
    .sort((a, b) => a.distance - b.distance)
  return ranked[0]?.name
}

/** Nobody mistypes a name of this length; comparing costs its square. */
const MAX_LENGTH = 100

const plain = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/g, '')

/** ` (did you mean "expires"?)`, or nothing. */
export const hintAt = (given: string, known: readonly string[]): string => {
  const meant = didYouMean(given, known)
  return meant === undefined ? '' : ` (did you mean "${meant}"?)`
}
