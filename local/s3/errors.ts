import { OUT_OF_SPACE } from '../../functions/lib/errors/out-of-space.ts'

/** Status and default message of each error code that the server answers with (S3 API Reference, "Error responses"). */
const catalogue = {
  AccessControlListNotSupported: [400, 'The bucket does not allow ACLs'],
  AccessDenied: [403, 'Access Denied'],
  AccessForbidden: [403, 'CORSResponse: This CORS request is not allowed.'],
  AuthorizationHeaderMalformed: [400, 'The authorization header that you provided is not valid.'],
  AuthorizationQueryParametersError: [400, 'The authorization query parameters are not valid.'],
  BadDigest: [400, 'The Content-MD5 or checksum does not match what the server received.'],
  BucketNotEmpty: [409, 'The bucket that you tried to delete is not empty.'],
  EntityTooLarge: [400, 'Your proposed upload exceeds the maximum allowed size.'],
  EntityTooSmall: [400, 'Your proposed upload is smaller than the minimum allowed size.'],
  ExpiredToken: [400, 'The provided token has expired.'],
  IncompleteBody: [400, 'The body does not have the number of bytes that Content-Length says.'],
  InsufficientStorage: [507, OUT_OF_SPACE],
  InternalError: [500, 'The server met an internal error. Please try again.'],
  InvalidAccessKeyId: [403, 'The AWS access key ID that you provided does not exist in our records.'],
  InvalidArgument: [400, 'Invalid Argument'],
  InvalidBucketName: [400, 'The specified bucket is not valid.'],
  InvalidDigest: [400, 'The Content-MD5 or checksum value that you specified is not valid.'],
  InvalidLocationConstraint: [400, 'The specified location constraint is not valid.'],
  InvalidPart: [400, 'A part could not be found, or its entity tag or checksum does not match.'],
  InvalidPartNumber: [416, 'The requested partnumber is not satisfiable'],
  InvalidPartOrder: [400, 'The list of parts was not in ascending order.'],
  InvalidPolicyDocument: [400, 'The form does not meet the conditions of its policy document.'],
  InvalidRange: [416, 'The requested range is not satisfiable.'],
  InvalidRequest: [400, 'The request is not valid.'],
  InvalidStorageClass: [400, 'Objects have the storage class STANDARD.'],
  InvalidToken: [400, 'The provided token is malformed or otherwise not valid.'],
  InvalidURI: [400, 'The specified URI could not be parsed.'],
  KeyTooLongError: [400, 'Your key is too long.'],
  MalformedPOSTRequest: [400, 'The body of your POST request is not well-formed multipart/form-data.'],
  MalformedXML: [400, 'The XML is not well-formed or does not match the published schema.'],
  MaxPostPreDataLengthExceededError: [400, 'The fields before the file are too large.'],
  MetadataTooLarge: [400, 'Your metadata headers exceed the maximum allowed metadata size.'],
  MethodNotAllowed: [405, 'The specified method is not allowed against this resource.'],
  MissingContentLength: [411, 'You must provide the Content-Length HTTP header.'],
  NoSuchBucket: [404, 'The specified bucket does not exist.'],
  NoSuchKey: [404, 'The specified key does not exist.'],
  NoSuchUpload: [404, 'The upload does not exist. It may have been aborted or completed.'],
  NoSuchVersion: [404, 'The version ID specified in the request does not match an existing version.'],
  NotImplemented: [501, 'The functionality that you asked for is not implemented.'],
  PreconditionFailed: [412, 'At least one of the preconditions that you specified did not hold.'],
  RequestTimeTooSkewed: [403, "The difference between the request time and the server's time is too large."],
  ServiceUnavailable: [503, 'The server is stopping. Please try again in a moment.'],
  SignatureDoesNotMatch: [403, 'The request signature that the server calculated is another one.'],
  XAmzContentSHA256Mismatch: [400, 'The x-amz-content-sha256 header does not match what was computed.'],
} as const satisfies Record<string, readonly [number, string]>

export type S3ErrorCode = keyof typeof catalogue

/**
 * An error of S3: becomes the XML error body (none on HEAD) with the status of `code`.
 *
 * `details` become further elements of the error body, such as `Header` or `ArgumentName`. Never secrets.
 * `headers` go with the answer, also on HEAD.
 */
export class S3Error extends Error {
  override readonly name = 'S3Error'
  readonly code: S3ErrorCode
  readonly status: number
  readonly details: Readonly<Record<string, string>>
  readonly headers: Readonly<Record<string, string>>

  constructor(
    code: S3ErrorCode,
    message?: string,
    details: Readonly<Record<string, string>> = {},
    headers: Readonly<Record<string, string>> = {},
  ) {
    super(message ?? catalogue[code][1])
    this.code = code
    this.status = catalogue[code][0]
    this.details = details
    this.headers = headers
  }
}

/** A query argument or header whose value is wrong; `name` and `value` go into the error body, as S3 does it. */
export const invalidArgument = (message: string, name: string, value: string): S3Error =>
  new S3Error('InvalidArgument', message, { ArgumentName: name, ArgumentValue: value })
