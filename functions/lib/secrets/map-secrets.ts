/**
 * Replaces every secret in a JSON value: each text, number or boolean under a key that begins with `#`, at whatever
 * depth below it. Empty texts and `null` hold nothing and stay.
 *
 * An object with `attr` or `function` below such a key is an expression of the extractor: it names secrets and is none,
 * so only the `#` keys inside it count. Numbers and booleans are handed over, and come back, as text.
 */
export const mapSecrets = async (
  value: unknown,
  change: (secret: string) => Promise<string>,
  isSecret = false,
): Promise<unknown> => {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
    return isSecret && value !== '' ? change(String(value)) : value
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return Promise.all(value.map(item => mapSecrets(item, change, isSecret)))

  const isExpression = 'attr' in value || 'function' in value
  const entries = Object.entries(value).map(
    async ([key, item]): Promise<[string, unknown]> => [
      key,
      await mapSecrets(item, change, (isSecret && !isExpression) || key.startsWith('#')),
    ],
  )
  return Object.fromEntries(await Promise.all(entries))
}
