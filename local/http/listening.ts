import type { Server } from 'node:http'
import type { Server as TcpServer } from 'node:net'

/** Listens, and resolves to the port. Rejects when it cannot, for the port is in use. */
export const listen = async (server: TcpServer, { port = 0, host = '127.0.0.1' } = {}): Promise<number> => {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  server.once('error', reject)
  server.listen(port, host, resolve)
  await promise
  server.off('error', reject)
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The server has no TCP port')
  return address.port
}

/** Ends all connections, and resolves when the port is free. */
export const closeServer = async (server: Server): Promise<void> => {
  const { promise, resolve } = Promise.withResolvers<void>()
  server.close(() => resolve())
  server.closeAllConnections()
  await promise
}
