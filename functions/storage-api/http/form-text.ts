import { UserError } from '../../lib/errors/errors.ts'

const ENCODED_BYTES = /(?:%[0-9a-f]{2})+/gi

/**
 * The text of a URL-encoded form, whose bytes are checked: the reader of forms would put other characters in the place of
 * bytes that are no UTF-8. Error: 400 `malformedRequest`.
 */
export const checkedFormText = (text: string): string => {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  try {
    for (const [bytes] of text.matchAll(ENCODED_BYTES))
      decoder.decode(Buffer.from(bytes.replaceAll('%', ''), 'hex'))
    return text
  } catch (cause) {
    throw new UserError(
      'malformedRequest',
      'Malformed request: the form holds bytes that are not valid UTF-8.',
      {
        cause,
      },
    )
  }
}
