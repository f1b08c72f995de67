/** What a text says as JSON; undefined where it is none. The error is not told: it quotes the text, which may be a secret. */
export const readJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
