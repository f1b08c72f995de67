import { join } from 'node:path'
import { ApiServer } from './api/api-server.ts'
import type { ConcurrencyPool } from './lambda/concurrency-pool.ts'
import type { ServeHost } from './lambda/functions.ts'
import { openLogFile } from './lambda/log-file.ts'
import { listeningError } from './listening-error.ts'
import type { RunStackOptions } from './run-stack-options.ts'
import { apiFunctionArn, functionDefinitions } from './stack-functions.ts'
import type { Stack } from './template/stack.ts'
import { unsupported } from './template/unsupported.ts'

interface ServeApiOptions extends RunStackOptions {
  readonly draft: Stack
  readonly serveHost: ServeHost
  readonly concurrency: ReadonlyMap<string, ConcurrencyPool>
}

/** Opens the port of the stack's HTTP API, if it has one. The app is loaded later, when its environment is known. */
export const serveApi = async (
  { draft, assembly, dataDir, apiPort, bind, tls, log, serveHost, concurrency }: ServeApiOptions,
  resources: AsyncDisposableStack,
): Promise<{ server: ApiServer; functionArn: string } | undefined> => {
  const functionArn = apiFunctionArn(draft)
  if (functionArn === undefined) return undefined
  const definition = functionDefinitions(draft, assembly).find(({ arn }) => arn === functionArn)
  if (!definition) throw unsupported(functionArn, 'the HTTP API leads to a function that is not there')

  const functionLog = await openLogFile(join(dataDir.path, 'logs', `${definition.logicalId}.api.log`))
  resources.defer(() => functionLog.close())
  try {
    const { modulePath, exportName, memoryMiB, roleArn } = definition
    const temporaryRoot = join(dataDir.path, 'tmp-api')
    const server = await ApiServer.listen({
      port: apiPort,
      host: bind,
      tls,
      modulePath,
      exportName,
      memoryMiB,
      temporaryRoot,
      serveHost: port => serveHost(port, roleArn),
      functionLog,
      log,
      concurrency: concurrency.get(functionArn),
    })
    resources.defer(() => server.close())
    return { server, functionArn }
  } catch (error) {
    throw listeningError(error, { what: 'The HTTP API', port: apiPort, variable: 'MILLRACE_API_PORT', bind })
  }
}
