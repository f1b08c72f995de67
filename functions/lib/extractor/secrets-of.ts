/**
 * The secrets of a configuration by path: every scalar under a key that begins with `#` (also below it), passwords that
 * older configurations keep in plain attributes, and what the OAuth broker stored, as a whole and field by field.
 */
export const secretsOf = (
  value: unknown,
  path: readonly string[] = [],
  inSecret = false,
): Map<string, string> => {
  const found = new Map<string, string>()
  if (typeof value !== 'object' || value === null) {
    const text = typeof value === 'string' || typeof value === 'number' ? String(value) : ''
    if (!inSecret || text === '') return found
    found.set(path.join('/'), text)
    for (const [at, inner] of secretsOf(asJson(text), path, true)) if (inner.length > 3) found.set(at, inner)
    return found
  }
  // An expression under a `#` key names attributes and functions, not secrets
  const isExpression = 'function' in value || 'attr' in value
  for (const [key, inner] of Object.entries(value)) {
    const isSecret = (inSecret && !isExpression) || key.startsWith('#') || plainSecrets.has(key)
    for (const [at, text] of secretsOf(inner, [...path, key], isSecret)) found.set(at, text)
  }
  return found
}

const plainSecrets = new Set(['password', 'clientCertificate'])

/** An object or list that a text holds as JSON, such as the broker's `#data`. */
const asJson = (text: string): unknown => {
  if (!/^\s*[{[]/.test(text)) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
