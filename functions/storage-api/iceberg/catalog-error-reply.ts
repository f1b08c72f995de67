import { failureOf, type Log } from '../http/failure.ts'

/** Types of errors that clients know, by our code. */
const typesByCode: Readonly<Record<string, string>> = {
  'iceberg.namespaceNotFound': 'NoSuchNamespaceException',
  'iceberg.tableNotFound': 'NoSuchTableException',
  'iceberg.warehouseNotFound': 'NoSuchWarehouseException',
}

const typesByStatus: Readonly<Record<number, string>> = {
  400: 'BadRequestException',
  401: 'NotAuthorizedException',
  403: 'ForbiddenException',
  404: 'NotFoundException',
  406: 'UnsupportedOperationException',
  503: 'SlowDownException',
}

/** Turns whatever an operation threw into the error reply of the Iceberg REST specification. */
export const catalogErrorReply = (error: unknown, log: Log): Response => {
  const { status, message, code, headers } = failureOf(error, log)
  const type =
    typesByCode[code] ??
    typesByStatus[status] ??
    (status < 500 ? 'BadRequestException' : 'InternalServerError')
  return new Response(JSON.stringify({ error: { message, type, code: status } }), {
    status,
    headers: { 'content-type': 'application/json', ...headers },
  })
}
