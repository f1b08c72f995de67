/** Where objects are: undefined for S3, otherwise the base URL of another store. */
export interface ObjectStore {
  readonly s3Endpoint?: string | undefined
}

/** Variables by their names, all of them set. */
export type Environment<Name extends string> = Readonly<Record<Name, string>> & ObjectStore

/**
 * Reads the named environment variables, all of them required and non-empty. Throws at the first missing one, by name.
 *
 * Its construct takes the type of the result: a misspelt name is a type error there.
 */
export const readEnv = <const Name extends string>(
  names: readonly Name[],
  given: Readonly<Record<string, string | undefined>>,
): Environment<Name> => {
  const missing = names.filter(name => !given[name])
  if (missing.length > 0) throw new Error(`Missing environment variables: ${missing.join(', ')}`)
  const s3Endpoint = given['AWS_ENDPOINT_URL_S3'] || given['AWS_ENDPOINT_URL']
  // The filter above has just shown that each name has a value.
  const named = Object.fromEntries(names.map(name => [name, given[name]])) as Record<Name, string>
  return { ...named, s3Endpoint }
}
