/**
 * Reads the named environment variables, all of them required and non-empty. Throws at the first missing one, by name.
 *
 * Its construct takes the type of the result: a misspelt name is a type error there.
 */
export const readEnv = <const Name extends string>(names: readonly Name[]): Record<Name, string> => {
  const missing = names.filter(name => !process.env[name])
  if (missing.length > 0) throw new Error(`Missing environment variables: ${missing.join(', ')}`)
  // The filter above has just shown that each name has a value.
  return Object.fromEntries(names.map(name => [name, process.env[name]])) as Record<Name, string>
}
