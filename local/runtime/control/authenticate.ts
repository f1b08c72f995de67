import type { IncomingMessage } from 'node:http'
import { hexDigest } from '#lib/digests.ts'
import { authenticate } from '../../s3/auth/authenticate.ts'
import type { KnownKey as SigningKey } from '../../s3/auth/caller.ts'
import { S3Error, type S3ErrorCode } from '../../s3/errors.ts'
import { parseTarget, readHeaders } from '../../s3/http/s3-request.ts'
import { account } from '../resources/resource-type.ts'
import { ServiceError } from './service-error.ts'

/** Who signed a request: the account itself, or one of its functions in its role. */
export interface Caller {
  readonly roleArn: string | undefined
}

/** A key that this process knows. */
export interface KnownKey extends SigningKey {
  readonly roleArn?: string
}

/** `service`: the service that the signature's scope must name. Undefined for an unknown operation. */
export type Authenticate = (request: IncomingMessage, body: Buffer, service: string | undefined) => Caller

/** Checks the signature (Signature Version 4, header form) of a call to one of the JSON services. */
export const authenticator =
  (findPrincipal: (accessKeyId: string) => KnownKey | undefined): Authenticate =>
  (message, body, service) => {
    const headers = readHeaders(message)
    const request = { method: message.method ?? 'POST', headers, ...parseTarget(message.url ?? '/', '') }
    const expected = { region: account.region, service, now: new Date(), payloadHash: hexDigest(body) }
    try {
      return { roleArn: authenticate(request, { ...expected, findPrincipal }).principal.roleArn }
    } catch (error) {
      if (!(error instanceof S3Error)) throw error
      const isSigned = headers['authorization'] !== undefined
      const name = isSigned
        ? (names[error.code] ?? 'InvalidSignatureException')
        : 'MissingAuthenticationTokenException'
      throw new ServiceError(name, error.message, 403)
    }
  }

/** The names of these services for the errors of S3's authentication. */
const names: Partial<Record<S3ErrorCode, string>> = {
  InvalidAccessKeyId: 'UnrecognizedClientException',
  InvalidToken: 'UnrecognizedClientException',
  ExpiredToken: 'ExpiredTokenException',
}
