import { join } from 'node:path'
import { ApiServer } from './api/api-server.ts'
import type { FunctionDefinition } from './lambda/function-definition.ts'
import type { ServeHost } from './lambda/functions.ts'
import { openLogFile } from './lambda/log-file.ts'
import { listeningError } from './listening-error.ts'
import type { RunSystemOptions } from './run-system-options.ts'

interface ServedApi {
  readonly definition: FunctionDefinition
  readonly serveHostTo: ServeHost
}

/** Opens the port of the HTTP API. The app is loaded later, when its environment is known. */
export const serveApi = async (
  { dataDir, apiPort, bind, tls, log }: RunSystemOptions,
  { definition, serveHostTo }: ServedApi,
  resources: AsyncDisposableStack,
): Promise<ApiServer> => {
  const functionLog = await openLogFile(join(dataDir.path, 'logs', 'storage-api.api.log'))
  resources.defer(() => functionLog.close())
  try {
    const server = await ApiServer.listen({
      port: apiPort,
      host: bind,
      tls,
      codeFolder: definition.codeFolder,
      memoryMiB: definition.memoryMiB,
      temporaryRoot: join(dataDir.path, 'tmp-api'),
      serveHost: port => serveHostTo(port, definition.roleArn),
      functionLog,
      log,
    })
    resources.defer(() => server.close())
    return server
  } catch (error) {
    throw listeningError(error, { what: 'The HTTP API', port: apiPort, variable: 'MILLRACE_API_PORT', bind })
  }
}
