/**
 * What we use of `node:http`, without importing it: an import reads every name of the module, one of which is `WebSocket`,
 * for which Node loads its whole HTTP client. That takes 20 ms of processor time in each thread.
 */
export const { Agent, STATUS_CODES, createServer, request } = process.getBuiltinModule('node:http')
