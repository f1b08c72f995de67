import { invalidArgument } from '../errors.ts'

/**
 * The headers that a presigned URL carries in its query.
 *
 * Signers move `x-amz-*` headers there. S3 reads metadata and the ACL from the query as if they were headers and ignores
 * the rest. It must: the SDK for JavaScript puts the checksum of an empty body into every URL for a PUT.
 */
export const readHoistedHeaders = (query: Readonly<Record<string, string[]>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(query)
      .map(([name, [value = '']]): [string, string] => [name.toLowerCase(), value])
      .filter(([name]) => name === 'x-amz-acl' || name.startsWith('x-amz-meta-'))
      .map(([name, value]) => {
        if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name) || hasControls(value))
          throw invalidArgument('This cannot be the name or value of a header', name, value)
        // In a header each byte is a character.
        return [name, Buffer.from(value).toString('latin1')]
      }),
  )

/** Whether a header cannot hold the text. */
export const hasControls = (value: string): boolean => [...value].some(char => char < ' ' || char === '\x7f')
