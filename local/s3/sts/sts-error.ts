import type { S3Error } from '../errors.ts'

const statuses = {
  AccessDenied: 403,
  ExpiredToken: 403,
  IncompleteSignature: 400,
  InvalidAction: 400,
  InvalidClientTokenId: 403,
  MalformedPolicyDocument: 400,
  MissingAuthenticationToken: 403,
  ServiceUnavailable: 503,
  SignatureDoesNotMatch: 403,
  Throttling: 400,
  ValidationError: 400,
} as const

type StsErrorCode = keyof typeof statuses

/** An error of STS. */
export class StsError extends Error {
  override readonly name = 'StsError'
  readonly code: StsErrorCode
  readonly status: number

  constructor(code: StsErrorCode, message: string) {
    super(message)
    this.code = code
    this.status = statuses[code]
  }
}

/** The names of STS for the errors of S3's authentication. */
export const toStsError = (error: S3Error): StsError => {
  switch (error.code) {
    case 'AccessDenied':
      return new StsError('MissingAuthenticationToken', 'Request is missing Authentication Token')
    case 'ExpiredToken':
      return new StsError('ExpiredToken', 'The security token included in the request is expired')
    case 'InvalidAccessKeyId':
    case 'InvalidToken':
      return new StsError('InvalidClientTokenId', 'The security token included in the request is invalid.')
    case 'RequestTimeTooSkewed':
    case 'SignatureDoesNotMatch':
      return new StsError('SignatureDoesNotMatch', error.message)
    case 'AuthorizationHeaderMalformed':
    case 'AuthorizationQueryParametersError':
      return new StsError('IncompleteSignature', error.message)
    case 'ServiceUnavailable':
      return new StsError('ServiceUnavailable', error.message)
    default:
      return new StsError('ValidationError', error.message)
  }
}
