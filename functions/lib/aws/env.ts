/**
 * Reads the named environment variables, all of them required and non-empty. Throws at the first missing one, by name.
 *
 * A function lists its names in its `env-names.ts`, which its construct reads too. So a misspelt name is a type error.
 */
export const readEnv = <Name extends string>(names: readonly Name[]): Record<Name, string> => {
  const missing = names.filter(name => !process.env[name])
  if (missing.length > 0) throw new Error(`Missing environment variables: ${missing.join(', ')}`)
  // The filter above has just shown that each name has a value.
  return Object.fromEntries(names.map(name => [name, process.env[name]])) as Record<Name, string>
}
