import type { S3Error, S3ErrorCode } from '../errors.ts'

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
const names: Partial<Record<S3ErrorCode, StsErrorCode>> = {
  AccessDenied: 'MissingAuthenticationToken',
  AuthorizationHeaderMalformed: 'IncompleteSignature',
  ExpiredToken: 'ExpiredToken',
  InvalidAccessKeyId: 'InvalidClientTokenId',
  InvalidToken: 'InvalidClientTokenId',
  RequestTimeTooSkewed: 'SignatureDoesNotMatch',
  ServiceUnavailable: 'ServiceUnavailable',
  SignatureDoesNotMatch: 'SignatureDoesNotMatch',
}

export const toStsError = ({ code, message }: S3Error): StsError =>
  new StsError(names[code] ?? 'ValidationError', message)
