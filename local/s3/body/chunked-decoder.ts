import type { ChunkVerifier } from '../auth/chunk-signatures.ts'
import { S3Error } from '../errors.ts'

// A chunk header is a hexadecimal size and a signature of 64 digits; a trailer is one checksum.
const maxLineBytes = 1024
const maxTrailers = 10
const signatureTrailer = 'x-amz-trailer-signature'

/**
 * Takes the `aws-chunked` framing off a body that arrives in pieces of any size (S3 API Reference, "SigV4 streaming").
 *
 *     <hex size>[;chunk-signature=<hex>]\r\n<bytes>\r\n ... 0[;chunk-signature=<hex>]\r\n[<trailer>:<value>\r\n ...]\r\n
 *
 * `decode` gives the payload bytes of one piece without copying them; `finish` throws IncompleteBody when the last
 * chunk has not been seen. Trailers are there, with lower-case names, once `finish` has returned.
 */
export class ChunkedDecoder {
  readonly trailers = new Map<string, string>()
  readonly #verifier: ChunkVerifier | undefined
  #state: 'size' | 'data' | 'dataEnd' | 'trailer' | 'end' = 'size'
  #line = ''
  #missing = 0
  #signature = ''

  constructor(verifier?: ChunkVerifier) {
    this.#verifier = verifier
  }

  decode(piece: Buffer): Buffer[] {
    const payload: Buffer[] = []
    let at = 0
    while (at < piece.length) {
      if (this.#state === 'end') throw malformed('there is data after the last chunk')
      if (this.#state === 'data') {
        const bytes = piece.subarray(at, at + this.#missing)
        at += bytes.length
        this.#missing -= bytes.length
        this.#verifier?.data(bytes)
        payload.push(bytes)
        if (this.#missing > 0) continue
        this.#verifier?.chunkEnd(this.#signature)
        this.#state = 'dataEnd'
      } else {
        const lineEnd = piece.indexOf(0x0a, at)
        const stop = lineEnd === -1 ? piece.length : lineEnd + 1
        this.#line += piece.toString('latin1', at, stop)
        at = stop
        if (this.#line.length > maxLineBytes) throw malformed('a line is too long')
        if (lineEnd !== -1) this.#takeLine()
      }
    }
    return payload
  }

  finish(): void {
    if (this.#state !== 'end')
      throw new S3Error('IncompleteBody', 'The request body ended before the last chunk.')
  }

  #takeLine(): void {
    const line = this.#line
    this.#line = ''
    if (!line.endsWith('\r\n')) throw malformed('a line does not end in CR LF')
    const text = line.slice(0, -2)
    if (this.#state === 'size') this.#takeSize(text)
    else if (this.#state === 'trailer') this.#takeTrailer(text)
    else if (text === '') this.#state = 'size'
    else throw malformed('a chunk is longer than its size says')
  }

  #takeSize(text: string): void {
    const [, size = '', signature = ''] =
      /^([0-9a-fA-F]{1,13})(?:;chunk-signature=([0-9a-f]{64}))?$/.exec(text) ?? []
    if (size === '') throw malformed('a chunk size is not a hexadecimal number')
    this.#missing = Number.parseInt(size, 16)
    this.#signature = signature
    this.#state = this.#missing > 0 ? 'data' : 'trailer'
    if (this.#missing === 0) this.#verifier?.chunkEnd(signature)
  }

  #takeTrailer(text: string): void {
    if (text === '') {
      this.#endTrailers()
      return
    }
    const colon = text.indexOf(':')
    if (colon <= 0) throw malformed('a trailer has no name')
    if (this.trailers.size === maxTrailers) throw malformed('there are too many trailers')
    this.trailers.set(text.slice(0, colon).trim().toLowerCase(), text.slice(colon + 1).trim())
  }

  #endTrailers(): void {
    this.#state = 'end'
    const signature = this.trailers.get(signatureTrailer) ?? ''
    this.trailers.delete(signatureTrailer)
    const signed = [...this.trailers].map(([name, value]) => `${name}:${value}\n`).join('')
    this.#verifier?.trailerEnd(signed, signature)
  }
}

const malformed = (reason: string): S3Error =>
  new S3Error('InvalidRequest', `The aws-chunked framing of the body is not valid: ${reason}.`)
