import { failureOf } from '../http/failure.ts'
import type { Log } from '../services/services.ts'

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

/** The body of an error, in the form of the Iceberg REST specification. `code` is ours. */
export const catalogError = (status: number, message: string, code = '') => {
  const otherType = status < 500 ? 'BadRequestException' : 'InternalServerError'
  const type = typesByCode[code] ?? typesByStatus[status] ?? otherType
  return { error: { message, type, code: status } }
}

/** Turns whatever an operation threw into an error reply of the catalog. */
export const catalogErrorReply = (error: unknown, log: Log): Response => {
  const { status, message, code, headers } = failureOf(error, log)
  return new Response(JSON.stringify(catalogError(status, message, code)), {
    status,
    headers: { 'content-type': 'application/json', ...headers },
  })
}
