import type { ErrorEntry } from './entry.ts'

/** Errors that any request can end with. */
export const requestCodes = {
  'storage.tokenMissing': {
    status: 401,
    meaning:
      'The request has no token. The reply itself shows no code, as clients of this API expect; the log does.',
    remedy: 'Send the token in the header X-StorageApi-Token.',
  },
  'storage.tokenInvalid': {
    status: 401,
    meaning: 'The token is not known, was deleted or refreshed, or has expired.',
    remedy: 'Send a valid token; make a new one when it has expired.',
  },
  accessDenied: {
    status: 403,
    meaning: 'The token is valid, but its rights do not reach this resource.',
    remedy: 'Use a token with more rights, or extend the rights of this one.',
  },
  notFound: {
    status: 404,
    meaning: 'There is no such path, branch, component, configuration or row.',
    remedy: 'Check the path and the ids in it; a deleted configuration can be restored.',
  },
  methodNotAllowed: {
    status: 405,
    meaning: 'The path exists, but not with this method.',
    remedy: 'Use one of the methods that the reply names in its Allow header.',
  },
  'storage.validation': {
    status: 400,
    meaning: 'A parameter, a header or the body of the request is not valid.',
    remedy: 'Correct the fields that the message names.',
  },
  validationError: {
    status: 400,
    meaning: 'A search names nothing to search for.',
    remedy: 'Give one of the parameters that the message names.',
  },
  malformedRequest: {
    status: 400,
    meaning: 'The form of the request holds bytes that are no UTF-8 text.',
    remedy: 'Encode all texts in UTF-8.',
  },
  'storage.unsupportedMediaType': {
    status: 415,
    meaning: 'The body has a content type that is not read.',
    remedy: 'Send JSON, a URL-encoded form or a multipart form.',
  },
  'storage.tooManyAtOnce': {
    status: 429,
    meaning:
      'As many queries, or previews, as are done at once are under way, of the token or of the project.',
    remedy: 'Wait until one of them has ended, and send it again.',
  },
  'storage.requestTooLarge': {
    status: 413,
    meaning: 'The request is larger than the service takes.',
    remedy: 'Send less at once; upload files with POST files/prepare instead.',
  },
  'storage.responseTooLarge': {
    status: 413,
    meaning: 'The reply would be larger than the gateway lets through.',
    remedy: 'Ask for less at once: a smaller limit, or fewer columns.',
  },
  'storage.tooSlow': {
    status: 504,
    meaning: 'The request took longer than the gateway waits.',
    remedy: 'Look whether it was done before you send it again; ask for less at once, or for a job.',
  },
  'storage.idempotencyKeyReused': {
    status: 422,
    meaning: 'The Idempotency-Key was sent before with another request.',
    remedy: 'Send a new key with a new request.',
  },
  'query.syntax': {
    status: 400,
    meaning: 'The search query cannot be parsed.',
    remedy: 'Correct the query where the message points.',
  },
  notImplemented: {
    status: 501,
    meaning: 'The service does not offer this operation or option.',
    remedy: 'Do what the message names instead.',
  },
  'storage.dataFormat': {
    status: 501,
    meaning: 'Another version wrote what the stack stores, in a form that this version does not read.',
    remedy: 'Deploy that version again to use or export it, or deploy this one as a new stack.',
  },
  'storage.unavailable': {
    status: 503,
    meaning: 'Too many requests with the same Idempotency-Key run at once.',
    remedy: 'Send the request again after the time in Retry-After.',
  },
  'storage.busy': {
    status: 503,
    meaning: 'The database or the bucket takes no more writes at the moment.',
    remedy: 'Send the request again after the time in Retry-After.',
  },
  'storage.tickets.busy': {
    status: 503,
    meaning: 'Too many new ids are asked for at once.',
    remedy: 'Send the request again after the time in Retry-After.',
  },
  'service.stopping': {
    status: 503,
    meaning: 'The embedded cloud on one machine is shutting down.',
    remedy: 'Send the request again once it has started anew.',
  },
  internalError: {
    status: 500,
    meaning: 'Something failed that should not; the details are in the log, below the exception id.',
    remedy: 'Try again, and report the exception id when it stays so.',
  },
  'event.invalid': {
    meaning: 'A function got an event that is not of the shape it accepts.',
    remedy: 'Correct the fields that the message names in the input of the state machine.',
  },
} as const satisfies Record<string, ErrorEntry>
