/** Values of these are shown to nobody, whatever the masker knows. */
const secretHeader =
  /^((proxy-)?authorization|(set-)?cookie|www-authenticate|proxy-authenticate|authentication-info)$|token|secret|key|session|password|signature/i

type Headers = Readonly<Record<string, string | string[] | undefined>>

/**
 * Headers of a request or a response without secrets: each is `***`.
 *
 * @param mask replaces the secrets of a text
 */
export const maskHeaders = (
  headers: Headers,
  mask: (text: string) => string,
): Record<string, string | string[]> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[mask(name), maskHeader(name, value, mask)]],
    ),
  )

const maskHeader = (name: string, value: string | string[], mask: (text: string) => string) => {
  const one = (text: string): string => (secretHeader.test(name) ? '***' : mask(text))
  return Array.isArray(value) ? value.map(one) : one(value)
}
