import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import { UserError } from '#lib/errors/errors.ts'
import { isPacked, unpack } from '../../requests/answers/unpack.ts'
import { maskBody } from './mask-body.ts'

interface MaskedBody {
  body: Buffer
  isMasked: boolean
}

/**
 * A body without secrets, also those that it holds packed. A damaged one is taken as it is: nobody can unpack it.
 *
 * @throws UserError `extractor.recording.archive` for a zip archive that holds a secret
 */
export const maskPacked = async (body: Buffer, mask: (text: string) => string): Promise<MaskedBody> => {
  if (!(await isPacked(body))) return maskBody(body, mask)
  if (body[0] === 0x1f) return maskGzip(body, mask)
  if (await holdsSecret(body, mask))
    throw new UserError(
      'extractor.recording.archive',
      'An archive that the API sent holds a secret of the configuration, so it cannot be recorded.',
    )
  return maskBody(body, mask)
}

const maskGzip = async (body: Buffer, mask: (text: string) => string): Promise<MaskedBody> => {
  const unpacked = await promisify(gunzip)(body).catch(() => undefined)
  const masked = unpacked === undefined ? undefined : maskBody(unpacked, mask)
  if (masked?.isMasked !== true) return maskBody(body, mask)
  return { body: await promisify(gzip)(masked.body), isMasked: true }
}

const holdsSecret = async (body: Buffer, mask: (text: string) => string): Promise<boolean> => {
  try {
    for await (const { content } of unpack(body, {
      limitBytes: Number.POSITIVE_INFINITY,
      wants: () => true,
    })) {
      const chunks: Uint8Array[] = []
      for await (const chunk of content) chunks.push(chunk)
      if (maskBody(Buffer.concat(chunks), mask).isMasked) return true
    }
  } catch (error) {
    if (!(error instanceof UserError)) throw error
  }
  return false
}
