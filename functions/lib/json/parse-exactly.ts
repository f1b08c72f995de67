import { hasEscapedKey, hideEscapedKeys, restoreKeys } from './escaped-keys.ts'

/**
 * `JSON.parse` for what users have written and get back: it reads every key as it is written.
 *
 * @throws SyntaxError as `JSON.parse` does
 */
export const parseExactly = (json: string): unknown => {
  if (!hasEscapedKey(json)) return JSON.parse(json)
  try {
    const { plain, names } = hideEscapedKeys(json)
    return restoreKeys(JSON.parse(plain), names)
  } catch (error) {
    if (error instanceof SyntaxError) JSON.parse(json) // its message is about what was sent
    throw error
  }
}
